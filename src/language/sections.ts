const all = (section: string, names: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, section]));

/** The sections of the PTX ISA 9.4 that instructions stand in, by the words that their names begin with. */
const SECTIONS: Readonly<Record<string, string>> = {
  ld: '9.7.10',
  ldu: '9.7.10.10',
  st: '9.7.10',
  'st.async': '9.7.10.12',
  'st.bulk': '9.7.10.14',
  multimem: '9.7.10.15',
  mov: '9.7.10.4',
  shfl: '9.7.10.6',
  prmt: '9.7.10.7',
  'cp.async': '9.7.10.28.3.1',
  'cp.async.mbarrier': '9.7.15.16',
  ...all('9.7.10.28.3', 'cp.async.commit_group cp.async.wait_group cp.async.wait_all'),
  'cp.async.bulk': '9.7.10.28.4.1',
  'cp.async.bulk.prefetch': '9.7.10.28.4',
  ...all('9.7.10.28.5', 'cp.async.bulk.prefetch.tensor cp.reduce.async.bulk.tensor'),
  'cp.async.bulk.tensor': '9.7.10.28.5',
  'cp.reduce.async.bulk': '9.7.10.28.4.2',
  'cp.async.bulk.commit_group': '9.7.10.28.6',
  'cp.async.bulk.wait_group': '9.7.10.28.6',
  'tensormap.replace': '9.7.10.29',
  'tensormap.cp_fenceproxy': '9.7.15.17',
  bar: '9.7.15.1',
  barrier: '9.7.15.1',
  'bar.warp.sync': '9.7.15.2',
  'barrier.cluster': '9.7.15.3',
  fence: '9.7.15.4',
  membar: '9.7.15.4',
  atom: '9.7.15.5',
  red: '9.7.15.6',
  'red.async': '9.7.15.7',
  vote: '9.7.15.9',
  match: '9.7.15.10',
  activemask: '9.7.15.11',
  redux: '9.7.15.12',
  griddepcontrol: '9.7.15.14',
  'elect.sync': '9.7.15.15',
  mbarrier: '9.7.15.16',
  'mbarrier.test_wait': '9.7.15.16.19',
  'mbarrier.try_wait': '9.7.15.16.19',
  'clusterlaunchcontrol.try_cancel': '9.7.15.18',
  'clusterlaunchcontrol.query_cancel': '9.7.15.19',
  wmma: '9.7.16.4',
  mma: '9.7.16.5',
  ldmatrix: '9.7.16.5.15',
  stmatrix: '9.7.16.5.16',
  wgmma: '9.7.17',
  tcgen05: '9.7.18',
  'tcgen05.commit': '9.7.18.12',
  ...all('9.7.18.7', 'tcgen05.alloc tcgen05.dealloc tcgen05.relinquish_alloc_permit'),
  ...all('9.7.18.6.1', 'tcgen05.ld tcgen05.st tcgen05.mma tcgen05.cp tcgen05.shift'),
  'tcgen05.fence::before_thread_sync': '9.7.18.6.3',
  'tcgen05.fence::after_thread_sync': '9.7.18.6.3',
  'tcgen05.wait::ld': '9.7.18.6.4',
  'tcgen05.wait::st': '9.7.18.6.4',
  movmatrix: '9.7.16.5',
  ...all('9.7.7', 'set setp selp slct'),
  ...all('9.7.9', 'and or xor not cnot shl shr shf lop3'),
  ...all('9.7.2', 'addc subc madc'),
  ...all('9.7.1', 'mul24 mad24 sad popc clz bfind fns brev bfe bfi szext bmsk dp4a dp2a'),
  ...all('9.7.10', 'cvta isspacep mapa getctarank prefetch prefetchu applypriority discard createpolicy cvt'),
  ...all('9.7.14', 'bra brx ret exit'),
  ...all('9.7.21', 'nanosleep trap brkpt pmevent setmaxnreg'),
};

/** The section of an instruction, by its name in the table of instructions; undefined of one that is not cited. */
export function sectionOf(name: string): string | undefined {
  if (/^ld\.global(\..*)?\.nc(\.|$)/.test(name)) return '9.7.10.9';
  const words = name.split('.');
  for (let count = words.length; count > 0; count--) {
    const section = SECTIONS[words.slice(0, count).join('.')];
    if (section !== undefined) return section;
  }
  return undefined;
}
