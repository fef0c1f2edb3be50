/** How a page looks: in light and dark, on a narrow screen, and on paper. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --pane: #f5f6f8; --text: #1b1b1f; --faint: #55555f; --line: #c9c9d0; --link: #0b57a4;
  --good: #1a6b2a; --bad: #b3121d; --unsure: #7a5200; --mark: #ffe3e0; --added: #e0f3e2; --gone: #fde4e2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16171b; --pane: #1f2026; --text: #e8e8ee; --faint: #adadb9; --line: #4a4b56; --link: #8fc0ff;
    --good: #7fd48f; --bad: #ff9a9e; --unsure: #f0c068; --mark: #55252a; --added: #1e3d26; --gone: #4d2428;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0.5rem 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.75rem 0 0.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 1.75rem 0 0.5rem; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 0.4rem; overflow-wrap: anywhere; }
h4 { font-size: 0.95rem; margin: 0.75rem 0 0.25rem; overflow-wrap: anywhere; }
p { margin: 0.4rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible, [tabindex]:focus-visible, summary:focus-visible, input:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px;
}
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.875rem; }
code { overflow-wrap: anywhere; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 0.25rem; background: var(--page); padding: 0.25rem; }
.faint { color: var(--faint); }
.broken { color: var(--bad); }
.undecided, .undefined { color: var(--unsure); }
.met { color: var(--good); }
.accepted { color: var(--faint); }
.word { font-weight: 600; white-space: nowrap; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--pane); }
.scroll > pre { margin: 0; padding: 0.6rem 0.75rem; min-width: max-content; }
.picture { background: #ffffff; color: #1b1b1f; padding: 0.25rem; }
.picture svg { display: block; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--faint); padding: 0.4rem 0.6rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-top: 1px solid var(--line); }
tbody th { font-weight: normal; }
th, td { overflow-wrap: anywhere; }
.tests td:first-child, .tests td:nth-child(4), thead th { white-space: nowrap; overflow-wrap: normal; }
.listing { border-collapse: separate; border-spacing: 0; width: max-content; min-width: 100%; }
.listing td { border: 0; padding: 0 0.75rem; white-space: pre; overflow-wrap: normal; }
.listing td:first-child { width: 1%; text-align: right; color: var(--faint); user-select: none; }
.listing .marked td { background: var(--mark); }
.listing .marked td:first-child { color: var(--text); font-weight: 700; }
.threads { display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
.thread { border: 1px solid var(--line); border-radius: 6px; background: var(--pane); padding: 0 0.75rem 0.5rem; }
.others { margin: 0.5rem 0; }
.others > summary { margin-bottom: 0.5rem; }
.thread ol { list-style: none; margin: 0; padding: 0; }
.thread li { border-top: 1px solid var(--line); padding: 0.25rem 0.4rem; overflow-wrap: anywhere; }
.thread li.marked { background: var(--mark); border-left: 4px solid var(--bad); }
.thread small { display: block; color: var(--faint); font-size: 0.8rem; }
.marked small, .added, .gone { color: var(--text); }
.added { background: var(--added); } .gone { background: var(--gone); }
.filter { border: 0; min-width: 0; padding: 0; margin: 0.5rem 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
.filter legend { float: left; padding: 0 1rem 0 0; }
.filter label { white-space: nowrap; }
.counts { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; list-style: none; padding: 0; margin: 0.5rem 0; }
article { border-top: 3px solid var(--line); margin-top: 2rem; }
summary { cursor: pointer; }
@media (max-width: 40rem) {
  .tests thead, .answers thead { position: absolute; left: -999rem; }
  .tests tr, .answers tr { display: block; border-top: 1px solid var(--line); padding: 0.35rem 0; }
  .tests th, .tests td, .answers th, .answers td { display: block; border: 0; padding: 0.05rem 0.6rem; }
}
@media print {
  :root {
    --page: #ffffff; --pane: #ffffff; --text: #000000; --faint: #444444; --line: #999999; --link: #000000;
    --good: #1a6b2a; --bad: #b3121d; --unsure: #7a5200; --mark: #ffe3e0; --added: #e0f3e2; --gone: #fde4e2;
    color-scheme: light;
  }
  * { print-color-adjust: exact; }
  body { font-size: 11pt; }
  header, main, footer { max-width: none; padding: 0; }
  .filter, .skip { display: none; }
  .scroll { overflow: visible; }
  .scroll > pre, .listing { min-width: 0; width: 100%; }
  pre, .listing td { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 8.5pt; }
  .listing td:first-child { white-space: nowrap; width: 4rem; }
  .picture svg { max-width: 100%; max-height: 23cm; height: auto; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  .thread, tr, figure { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
}
`;
