// State, live updates and the frame around all screens.
import { h, render } from './preact.module.js';
import { Fleet, NodeScreen, Pods, Rollout, Hardware, Policy, age, el, text } from './screens.js';

const SCREENS = [
  { path: '', title: 'Fleet', view: Fleet },
  { path: 'pods', title: 'Pending pods', view: Pods, api: 'pods' },
  { path: 'rollout', title: 'Roll-out', view: Rollout, api: 'rollout' },
  { path: 'hardware', title: 'Hardware', view: Hardware, api: 'health' },
  { path: 'policy', title: 'Policy', view: Policy, api: 'policy' },
];
const MOST_OFTEN = 2000; // milliseconds between two readings of a screen

const state = {
  fleet: null, // of /api/v1/events, with its tiles by node
  connected: true,
  route: route(),
  screen: { api: '', data: null, error: '' },
};

function route() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const [first, name] = path.split('/');
  const params = new URLSearchParams(query);
  if (first === 'node' && name) {
    const node = decoded(name);
    return { path: 'node', title: node, view: NodeScreen, api: 'node/' + encodeURIComponent(node), params, node };
  }
  return { ...(SCREENS.find((it) => it.path === first) ?? SCREENS[0]), params };
}

// An address that was cut off or typed may have a % that begins no code.
function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

// What is typed into the filter is kept in the address, so that it can be shared.
function setParam(name, value) {
  const params = new URLSearchParams(state.route.params);
  if (value) params.set(name, value);
  else params.delete(name);
  const query = params.toString();
  history.replaceState(null, '', '#/' + state.route.path + (query ? '?' + query : ''));
  state.route = route();
  draw();
}

let reading = false;
let again = false;
async function readScreen() {
  const { api } = state.route;
  if (!api) return;
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  try {
    const answer = await fetch('/api/v1/' + api);
    const data = await answer.json();
    if (api === state.route.api) {
      state.screen = answer.ok
        ? { api, data, error: '' }
        : { api, data: null, error: data.message, missing: answer.status === 404 };
    }
  } catch {
    if (api !== state.screen.api) state.screen = { api, data: null, error: 'the console does not answer' };
  }
  draw();
  setTimeout(() => {
    reading = false;
    if (again) {
      again = false;
      readScreen();
    }
  }, api === state.route.api ? MOST_OFTEN : 0);
}

function apply(message, isWhole) {
  const view = JSON.parse(message.data);
  const byName = isWhole ? new Map() : state.fleet.byName;
  view.tiles.forEach((it) => byName.set(it.node.name, it));
  view.gone.forEach((it) => byName.delete(it));
  state.fleet = { ...view, byName, version: (state.fleet?.version ?? 0) + 1 };
  state.connected = true;
  draw();
  readScreen();
}

function connect() {
  const events = new EventSource('/api/v1/events');
  events.addEventListener('snapshot', (it) => apply(it, true));
  events.addEventListener('change', (it) => apply(it, false));
  events.onopen = () => {
    state.connected = true;
    draw();
  };
  events.onerror = () => {
    state.connected = false;
    draw();
    // Browsers give up where the answer is no stream, such as that of another program.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, 5000);
  };
}

function Banners() {
  const problems = state.fleet?.problems ?? [];
  const stale = problems.filter((it) => it.stale);
  const hidden = problems.filter((it) => !it.stale);
  return el('div', { 'aria-live': 'assertive', id: 'banners' },
    !state.connected && el('p', { class: 'banner bad' },
      el('strong', {}, 'Not connected. '), 'kubectl gpu console has ended or does not answer: start it again in your terminal.'),
    stale.length > 0 && el('p', { class: 'banner bad' },
      el('strong', {}, `Stale since ${clock(stale[0].since)} (${age(stale[0].since)}). `),
      'The cluster gives no answer, and what it said last is shown. ', text(stale[0].message)),
    hidden.map((it) => el('p', { class: 'banner note', key: it.what },
      el('strong', {}, `No ${it.what}. `), text(it.message))));
}

function clock(time) {
  return new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

function badge(path) {
  const fleet = state.fleet;
  if (!fleet) return 0;
  const count = { '': fleet.attention.length, pods: fleet.pending ?? 0,
    rollout: fleet.status.rollout.underWay.length + fleet.status.rollout.failed.length, hardware: fleet.status.gpus.unhealthy };
  return count[path] ?? 0;
}

function App() {
  const current = state.route;
  const screen = state.screen.api === (current.api ?? '') ? state.screen : { data: null, error: '' };
  return el('div', {},
    el('a', { class: 'skip', href: '#main', onClick: focusMain }, 'Skip to the content'),
    el('header', {},
      el('a', { class: 'brand', href: '#/' }, 'kubectl gpu'),
      el('nav', { 'aria-label': 'Screens' }, SCREENS.map((it) => el('a', {
        key: it.path, href: '#/' + it.path,
        'aria-current': it.path === current.path ? 'page' : undefined,
      }, it.title, badge(it.path) > 0 && el('span', { class: 'count' }, ' ', badge(it.path)))))),
    el(Banners),
    el('main', { id: 'main', tabIndex: -1 },
      !state.fleet ? el('p', { class: 'dim', role: 'status' }, 'Reading the cluster …')
        : el(current.view, { fleet: state.fleet, data: screen.data, error: screen.error, missing: screen.missing, route: current, setParam })),
    el('footer', { class: 'dim' }, 'Read-only. ', el('span', { role: 'status', id: 'notice' })));
}

function focusMain(event) {
  event?.preventDefault();
  document.getElementById('main')?.focus();
}

let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    document.title = `${state.route.title} · kubectl gpu`;
    render(h(App), document.getElementById('app'));
  });
}

addEventListener('hashchange', () => {
  state.route = route();
  draw();
  readScreen();
  focusMain();
  scrollTo(0, 0);
});
setInterval(draw, 30_000); // ages
draw();
connect();
