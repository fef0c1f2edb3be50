/** Where we and this ptxas differ, in which direction, and why. */
export interface FormException {
  readonly forms: RegExp;
  /** We take them, and ptxas does not; or the other way round. */
  readonly ours: boolean;
  readonly why: string;
}

const taken = (why: string, forms: RegExp): FormException => ({ forms, ours: true, why });
const refused = (why: string, forms: RegExp): FormException => ({ forms, ours: false, why });

export const FORM_EXCEPTIONS: readonly FormException[] = [
  refused('columns whose number nobody knows', /^tcgen05\.alloc\..* r0;$/),
  // What means nothing for values and memory order is not checked to the last word.
  taken('hints of caches', /^(ld|st|ldu|atom|red)\S*\.(L[12]::|c[agsv]|lu|wb|wt)/),
  taken('prefetches, priorities and policies', /prefetch|^applypriority|^createpolicy/),
  taken('events of performance, pragmas', /^pmevent|^nanosleep|^setmaxnreg|^\.pragma/),
  // Registers of another kind, or width, hold the same bits.
  taken('registers that ptxas holds to another type of as many bits', /^(add|mov|slct|atom|mad|shf)\S* |^mov [a-z]\d/),
  taken('registers of fragments', /^(ldmatrix|wmma\.load|wgmma\.mma_async)/),
  taken('.f32x2, of which ptxas has .b64 for sm_100', /\.f32x2 d/),
  taken('.f32 of redux is for sm_100a', /^redux\.sync\.m\w+(\.abs|\.NaN)*\.f32/),
  taken('a predefined register without its dimension is one that is never set', /^(mov|add|setp)\S* .*%?\w+/),
  taken('conversions in words that ptxas has no use for', /^(cvt|set)\./),
  taken(
    'addresses of another space: undefined, or a mistake that the address shows',
    /^(cvta|isspacep|st\.(weak\.)?param)/,
  ),
  taken('volatile and local, or weak vectors, that ptxas has no use for', /^(ld|st)\.\S*(volatile|unified|v8\.b16)/),
  taken('addresses of 32 bits', /^(ld|cvta)\S* .*\[?r\d/),
  taken('the shorthand of Dat3M', /^(goto|@!?r0 bra|(ld|st)\.global\.u32 (r0, )?x[,;]|call\.idx)/),
  taken('parameters of another size', /^\.param .*call fn2, \(b\)/),
  taken('empty statements, and blocks that end in a semicolon', /^(\{ add.*|;)$|; \};?$/),
  taken('the second result of elect may be a sink', /^elect\.sync r0\|_/),
  taken('.satfinite of all results', /^wmma\.mma\..*\.f32\.f32\.satfinite/),
  taken('the kinds with numbers of 4 and 6 bits are for sm_120a', /^mma\.sync\.\S*kind::/),
  taken('which half of the metadata is meant', /^mma\.sp/),
  taken('the weak order of st.async with its mechanism left out', /^st\.async\.(weak\.)?(v2\.)?f(32|64)/),
  taken('st.bulk of sizes that are no multiples of 8 is undefined', /^st\.bulk/),
  taken(
    'the least of three, and sums of mixed types, are for sm_100',
    /^(min|max)\.\S*f32 (f\d, ){3}f|^fma\.rn\.f32\.f16/,
  ),
  taken('vectors of 32 bytes', /^ldu\S*\.v4\.u64/),

  // Older words, which the ISA does not list.
  refused('words in an order, or twice, that the ISA does not have', /^mma\.sync\.aligned\.sp|satfinite.*satfinite/),
  refused('carries of 16 bits', /^(addc|subc|madc\.lo)\.[us]16/),
  refused('two results in one register, of which ptxas 13.0 makes either', /^setp\S* p0\|p0,/),
  refused(
    'one element as a vector, of which ptxas 13.0 makes four',
    /^mov\.b\d+ (\{[a-z]\d\},|[a-z]\d, \{[a-z]?\d\};)/,
  ),
  refused('the bits of an .f32 as those of an .f64', /^mov\.f64 e0, 0f/),
  refused('numbers that do not fit', /0x100000000|, 256;|^mov\.pred p0, (2|!p1)|wait_group\S* 8/),
  refused('predefined registers of older versions', /%\w+\.[wr];|^mov\.v4\.u32/),
  refused('addresses of 32 bits', /^mov\.u32 r0, (k_param_0|x\+4)/),
  refused('roundings and modes that the ISA does not list', /^(fma\.rm\S*bf16|rcp\.r.\.ftz|testp\.f|cvt\.\S*bf16)/),
  refused('operand that is not used', /^(atom\S*\.exch\.b32|shfl\.idx\.sync)/),
  refused('accesses past the end, which are undefined', /\[x\+300\]|^\.param .*(ld\.param\.b64 d1|\[b\+12\])/),
  refused('another word for the space of a parameter', /^ld\S*\.param::(entry|func)/),
  refused('eight matrices', /^ldmatrix\S*\.x8/),
  refused('forms of st.async that the ISA does not list', /^st\.async/),

  // PTX that has no meaning here yet.
  refused('packing of fewer than 8 bits', /^cvt\.pack/),
  refused('numbers of 8 bits, and four of fewer', /e[45]m[23]x4|^cvt\.rs\S*x4/),
  refused('stacks', /^(alloca|stacksave|stackrestore)/),
  refused('calls through registers', /^T: \.call/),
];
