// What each screen shows. All text of the cluster goes through `text`, and becomes text nodes.
import { h } from './preact.module.js';
import { Tiles, LEVELS } from './tiles.js';

const MOST_ROWS = 200;

// Characters that are not to be seen, or that turn the direction of the text, become their codes.
export function text(value) {
  return String(value ?? '').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (it) =>
    it === '\n' || it === '\t' ? ' ' : '\\u' + it.codePointAt(0).toString(16).padStart(4, '0'));
}

export function el(type, properties, ...children) {
  return h(type, properties ?? {}, ...children);
}

export function age(since) {
  const seconds = Math.max(0, Math.floor((Date.now() - new Date(since)) / 1000));
  if (!since || Number.isNaN(seconds)) return '';
  if (seconds < 120) return seconds + 's';
  if (seconds < 7200) return Math.floor(seconds / 60) + 'm';
  return seconds < 172_800 ? Math.floor(seconds / 3600) + 'h' : Math.floor(seconds / 86_400) + 'd';
}

function Command({ line }) {
  const copy = async () => {
    const notice = document.getElementById('notice');
    try {
      await navigator.clipboard.writeText(line);
      notice.textContent = 'copied: ' + line;
    } catch {
      notice.textContent = 'the browser does not allow to copy: select the line';
    }
  };
  return el('span', { class: 'command' },
    el('code', {}, text(line)),
    el('button', { type: 'button', onClick: copy, 'aria-label': 'Copy ' + text(line) }, 'copy'));
}

function Next({ steps, command }) {
  const all = command && !steps.includes(command) ? [...steps, command] : steps;
  if (!all.length) return null;
  return el('ul', { class: 'next', 'aria-label': 'What to do' }, all.map((it) => el('li', { key: it },
    el(NextStep, { step: it }))));
}

// Words before and after a command are not part of what is copied.
const COMMAND = /^(.*?: )?(kubectl (?:(?!, ).)*)(, .*)?$/;
function NextStep({ step }) {
  const [, before, command, after] = COMMAND.exec(step) ?? [];
  return command ? [text(before), el(Command, { line: command }), text(after)] : text(step);
}

function NodeLink({ name }) {
  return el('a', { href: '#/node/' + encodeURIComponent(name) }, text(name));
}

function Level({ level }) {
  const bad = LEVELS.indexOf(level);
  const kind = bad === 1 ? 'good' : bad === 2 ? 'warn' : bad === 0 || !level ? 'dim' : 'bad';
  return el('span', { class: 'level ' + kind }, text(level || 'unknown'));
}

// rows: lists of cells; a cell is text, a number or an element.
function Table({ caption, head, rows }) {
  return el('div', { class: 'scroll' }, el('table', {},
    el('caption', {}, caption),
    el('thead', {}, el('tr', {}, head.map((it) => el('th', { key: it, scope: 'col' }, it)))),
    el('tbody', {}, rows.map((cells, row) => el('tr', { key: row }, cells.map((it, column) =>
      el(column === 0 ? 'th' : 'td', { key: column, scope: column === 0 ? 'row' : undefined },
        typeof it === 'string' ? text(it) : it)))))));
}

const MARKS = { GOOD: ['✔', 'good'], BAD: ['✘', 'bad'], NOTE: ['·', 'note'] };

function ChainView({ chain, command }) {
  return el('div', { class: 'chain' },
    chain.cause && el('p', { class: 'cause' }, el('strong', {}, 'Cause: '), text(chain.cause)),
    el(Next, { steps: chain.next, command }),
    el('ol', { class: 'steps' }, chain.steps.map((step, index) => {
      const [sign, name] = MARKS[step.mark] ?? MARKS.NOTE;
      return el('li', { key: index, class: 'step ' + name },
        el('span', { class: 'mark', 'aria-hidden': 'true' }, sign),
        el('div', {},
          el('span', {}, text(step.text)), el('span', { class: 'hidden' }, { GOOD: ' (good)', BAD: ' (bad)' }[step.mark] ?? ''),
          step.details.map((it, at) => el('div', { key: at, class: 'detail' }, text(it)))));
    })));
}

function Waiting({ error, missing }) {
  return error
    ? el('p', { class: missing ? 'empty' : 'banner bad', role: 'alert' }, text(error))
    : el('p', { class: 'dim', role: 'status' }, 'Reading …');
}

function Figure({ label, value, bad, note, href }) {
  return el('div', { class: 'figure' + (bad ? ' bad' : '') },
    el('dt', {}, href ? el('a', { href }, label) : label),
    el('dd', {}, el('span', { class: 'value' }, text(value)), note && el('span', { class: 'dim' }, ' ' + text(note))));
}

function Figures({ fleet }) {
  const { nodes, gpus, rollout, policies } = fleet.status;
  const notReady = nodes.total - nodes.ready;
  const unready = policies.filter((it) => !it.ready).length;
  return el('dl', { class: 'figures', 'aria-label': 'The fleet in numbers' },
    el(Figure, { label: 'Nodes not ready', value: notReady, bad: notReady > 0, note: `of ${nodes.total}` }),
    el(Figure, { label: 'GPUs unhealthy', value: gpus.unhealthy, bad: gpus.unhealthy > 0, note: `of ${gpus.total}`, href: '#/hardware' }),
    el(Figure, { label: 'GPUs free', value: gpus.free ?? '?', note: `${gpus.inUse ?? '?'} in use` + (gpus.shared ? `, ${gpus.shared} shared` : '') }),
    el(Figure, { label: 'Pods pending', value: fleet.pending ?? '?', href: '#/pods' }),
    el(Figure, { label: 'Roll-out', value: rollout.underWay.length, bad: rollout.failed.length > 0, href: '#/rollout',
      note: `under way, ${rollout.pending} wait, ${rollout.failed.length} failed` }),
    el(Figure, { label: 'Policy', href: '#/policy', bad: unready > 0 || !policies.length,
      value: !policies.length ? 'none' : unready ? 'not ready' : 'ready' }));
}

function AttentionList({ attention }) {
  return el('section', { 'aria-labelledby': 'attention' },
    el('h2', { id: 'attention' }, 'Needs attention'),
    attention.length === 0 && el('p', { class: 'empty good' }, '✔ Nothing.'),
    el('ul', { class: 'attention' }, attention.map((it) => el('li', { key: it.title },
      el('h3', {}, text(it.title)),
      it.nodes.length > 0 && el('p', {}, 'On ', it.nodes.map((name, at) => [at > 0 && ', ', el(NodeLink, { name })])),
      it.message && el('p', {}, text(it.message)),
      el(Next, { steps: it.next, command: it.command })))));
}

const SHOWN = {
  '': ['all nodes', () => true],
  notready: ['nodes that are not ready', (it) => !it.node.ready],
  unhealthy: ['nodes with an unhealthy GPU', (it) => /[2-9]/.test(it.levels)],
  free: ['nodes with free GPUs', (it) => /[1-9]/.test(it.node.free)],
};

function worst(tile) {
  return (tile.node.ready ? 0 : 10) + Math.max(0, ...[...tile.levels].map(Number).map((it) => (it > 1 ? it : 0)));
}

// Kept while neither the nodes nor the filter change, so that the canvas is not painted again.
const filtered = { version: -1, key: '', tiles: [] };
function filter(fleet, query, show, order) {
  const key = [query, show, order].join('\n');
  if (filtered.version !== fleet.version || filtered.key !== key) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const isShown = (SHOWN[show] ?? SHOWN[''])[1];
    const tiles = [...fleet.byName.values()].filter((it) => {
      const all = [it.node.name, it.node.product, it.node.driver, it.node.reason, it.node.rollout, it.pods].join(' ').toLowerCase();
      return isShown(it) && words.every((word) => all.includes(word));
    });
    const byName = (a, b) => a.node.name.localeCompare(b.node.name, 'en', { numeric: true });
    tiles.sort(order === 'name' ? byName : (a, b) => worst(b) - worst(a) || byName(a, b));
    Object.assign(filtered, { version: fleet.version, key, tiles });
  }
  return filtered.tiles;
}

export function Fleet({ fleet, route, setParam }) {
  const param = (name) => route.params.get(name) ?? '';
  const tiles = filter(fleet, param('q'), param('show'), param('order'));
  const isEmpty = fleet.byName.size === 0;
  return [
    el('h1', { class: 'hidden' }, 'Fleet'),
    el(Figures, { fleet }),
    el(AttentionList, { attention: fleet.attention }),
    el('section', { 'aria-labelledby': 'gpus' },
      el('h2', { id: 'gpus' }, 'GPUs'),
      isEmpty
        ? el('p', { class: 'empty' }, fleet.read
          ? 'No node has a GPU yet: no agent has reported one.'
          : 'Reading the cluster …')
        : [
          el('div', { class: 'tools', role: 'search' },
            el('label', {}, 'Filter ', el('input', { type: 'search', value: param('q'), placeholder: 'node, product, reason, pod',
              onInput: (it) => setParam('q', it.target.value) })),
            el('label', {}, 'Show ', el('select', { value: param('show'), onChange: (it) => setParam('show', it.target.value) },
              Object.entries(SHOWN).map(([key, [words]]) => el('option', { key, value: key, selected: key === param('show') }, words)))),
            el('label', {}, 'Order ', el('select', { value: param('order'), onChange: (it) => setParam('order', it.target.value) },
              el('option', { value: '', selected: !param('order') }, 'worst first'),
              el('option', { value: 'name', selected: param('order') === 'name' }, 'by name'))),
            el('span', { class: 'dim', role: 'status' }, `${tiles.length} of ${fleet.byName.size} nodes`)),
          el(Legend),
          el(Tiles, { tiles }),
          el(NodeTable, { tiles }),
        ]),
  ];
}

function Legend() {
  const item = (kind, words) => el('li', {}, el('span', { class: 'key ' + kind, 'aria-hidden': 'true' }), words);
  return el('ul', { class: 'legend', 'aria-label': 'Legend' },
    item('good', 'healthy'), item('warn', 'degraded'), item('bad', 'unhealthy'), item('none', 'not known'),
    item('hollow', 'healthy, node not ready'), item('use', 'share of the node in use (which GPU a pod has is not in the API)'));
}

function NodeTable({ tiles }) {
  const shown = tiles.slice(0, MOST_ROWS);
  return el(Table, {
    caption: tiles.length > shown.length ? `Nodes: the first ${shown.length} of ${tiles.length}` : 'Nodes',
    head: ['Node', 'Ready', 'Health', 'GPUs', 'Free', 'Product', 'Driver', 'Pods'],
    rows: shown.map((it) => [el(NodeLink, { name: it.node.name }),
      it.node.ready ? el('span', { class: 'good' }, 'ready') : el('span', { class: 'bad' }, text(it.node.reason)),
      el(Level, { level: it.node.health }), it.node.gpus, it.node.free, it.node.product, it.node.driver, it.pods]),
  });
}

export function NodeScreen({ data, error, missing, route }) {
  if (!data) {
    return [el('h1', {}, text(route.node)), missing
      ? el('p', { class: 'empty' }, 'There is no such node with GPUs. ', el('a', { href: '#/' }, 'All nodes'))
      : el(Waiting, { error })];
  }
  const { row, chain, gpus, holders, rollout } = data;
  return [
    el('h1', {}, text(row.name), ' ', row.ready ? el('span', { class: 'level good' }, '✔ ready') : el('span', { class: 'level bad' }, '✘ not ready')),
    el('p', { class: 'dim' }, text([`${row.gpus} × ${row.product || 'GPU'}`, row.driver ? 'driver ' + row.driver : 'no driver',
      row.status && 'Node ' + row.status, row.free + ' free'].filter(Boolean).join(' · '))),
    el('section', { 'aria-label': 'Why' }, el(ChainView, { chain, command: data.command })),
    el(Table, { caption: 'GPUs', head: ['GPU', 'Health', 'Since', 'Evidence', 'Product', 'Address', 'UUID', 'MIG'],
      rows: gpus.map((it) => [it.index || '?', el(Level, { level: it.level }), age(it.since), it.evidence.join('; '),
        it.product, it.pciAddress, it.uuid, it.profiles.join(', ')]) }),
    rollout.phase !== 'Idle' && el(Table, { caption: 'Driver roll-out', head: ['Step', 'For', 'Deadline', 'Waits for', 'Next'],
      rows: [[rollout.phase, age(rollout.since), rollout.deadline, rollout.blocker, rollout.nextAction]] }),
    holders === undefined
      ? el('p', { class: 'empty' }, 'Your rights do not allow to list pods, so who holds its GPUs is not known.')
      : holders.length === 0
        ? el('p', { class: 'empty' }, 'No pod holds a GPU of this node.')
        : el(Table, { caption: 'Pods that hold GPUs of this node (which GPU each has is not in the API)', head: ['Pod', 'Holds', 'Phase', 'Age'],
          rows: holders.map((it) => [it.namespace + '/' + it.pod, it.gpus, it.phase, age(it.created)]) }),
  ];
}

export function Pods({ data, error, fleet }) {
  const head = el('h1', {}, 'Pending pods');
  if (!data) return [head, el(Waiting, { error })];
  if (!data.pending) return [head, el('p', { class: 'empty' }, 'Your rights do not allow to list the pods of all namespaces.')];
  const { shown, more } = data.pending;
  return [
    head,
    shown.length === 0 && el('p', { class: 'empty good' }, '✔ No pod waits for a GPU.'),
    shown.map((group) => el('section', { key: group.cause, class: 'group' },
      el('h2', {}, text(group.cause), el('span', { class: 'count' }, ` ${group.pods.length}`)),
      group.pods.map((pod, at) => el('details', { key: pod.id, open: at === 0 },
        el('summary', {}, text(pod.chain.subject)),
        el(ChainView, { chain: pod.chain, command: pod.command }))))),
    more > 0 && el('p', { class: 'dim' }, `${more} more wait. The oldest are shown.`),
  ];
}

export function Rollout({ data, error }) {
  const head = el('h1', {}, 'Roll-out');
  if (!data) return [head, el(Waiting, { error })];
  const { status, nodes } = data;
  if (!nodes.length) return [head, el('p', { class: 'empty good' }, '✔ No roll-out is under way.')];
  const blockers = Map.groupBy(nodes.filter((it) => it.rollout.blocker), (it) => it.rollout.blocker);
  return [
    head,
    el('dl', { class: 'figures' },
      el(Figure, { label: 'Failed', value: status.failed.length, bad: status.failed.length > 0 }),
      el(Figure, { label: 'Under way', value: status.underWay.length }),
      el(Figure, { label: 'Waiting for their turn', value: status.pending })),
    blockers.size > 0 && el(Table, { caption: 'What holds it up', head: ['Blocker', 'Nodes'],
      rows: [...blockers].sort((a, b) => b[1].length - a[1].length).map(([blocker, of]) => [blocker, String(of.length)]) }),
    el(Table, { caption: 'Nodes', head: ['Node', 'Step', 'For', 'Waits for', 'Next', 'Deadline', 'Driver'],
      rows: nodes.map((it) => [el(NodeLink, { name: it.name }),
        el('span', { class: it.rollout.phase === 'Failed' ? 'bad' : '' }, text(it.rollout.phase)),
        age(it.rollout.since), it.rollout.blocker, it.rollout.nextAction, it.rollout.deadline, it.driver]) }),
    el(Command, { line: 'kubectl gpu status' }),
  ];
}

export function Hardware({ data, error }) {
  const head = el('h1', {}, 'Hardware');
  if (!data) return [head, el(Waiting, { error })];
  if (!data.gpus.length) return [head, el('p', { class: 'empty good' }, '✔ No GPU is known to be unhealthy.')];
  return [
    head,
    el(Table, { caption: 'GPUs that are not healthy, the worst first', head: ['Node', 'GPU', 'Level', 'For', 'Evidence', 'What to do', 'Pods of the node', 'Address'],
      rows: data.gpus.map((it) => [el(NodeLink, { name: it.node }), it.gpu || '?', el(Level, { level: it.level }), age(it.since),
        it.evidence.join('; '), it.next, it.pods === undefined ? '?' : it.pods.join(', '), it.pciAddress]) }),
    data.xids.length > 0 && el(Table, { caption: 'Xids in the evidence', head: ['Xid', 'Meaning', 'Mnemonic', 'Level', 'What to do'],
      rows: data.xids.map((it) => [String(it.xid), it.meaning, it.mnemonic, el(Level, { level: it.level }), it.next[0] ?? '']) }),
    el(Command, { line: 'kubectl gpu health list -o wide' }),
  ];
}

export function Policy({ data, error }) {
  const head = el('h1', {}, 'Policy');
  if (!data) return [head, el(Waiting, { error })];
  return [head, data.policies.map((it) => el('section', { key: it.chain.subject },
    el('h2', {}, el('span', { class: it.chain.ok ? 'good' : 'bad' }, it.chain.ok ? '✔ ' : '✘ '), text(it.chain.subject)),
    el(ChainView, { chain: it.chain, command: it.command }),
    it.operands.length > 0 && el(Table, { caption: 'Operands', head: ['Operand', 'State', 'Ready', 'Message'],
      rows: it.operands.map((of) => [of.name, el('span', { class: of.state === 'notReady' ? 'bad' : '' }, text(of.state)),
        `${of.ready} of ${of.desired}`, of.message]) })))];
}
