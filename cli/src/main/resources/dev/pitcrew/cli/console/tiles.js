// Every GPU as one tile of a canvas, which holds 40,000 of them. Keys move through it, and what is
// under the pointer or the key is said in words beside it.
import { Component } from './preact.module.js';
import { el, text } from './screens.js';

export const LEVELS = ['unknown', 'Healthy', 'Degraded', 'NeedsReset', 'NeedsReboot', 'Replace', 'another level'];
const WORST_HEALTHY = 1;
const DEGRADED = 2;
const ROW = 8; // GPUs side by side
const MOST_LABELLED = 300;

function sizes(nodes, gpus) {
  if (gpus <= 160) return { tile: 26, gap: 3 };
  if (gpus <= 2400) return { tile: 16, gap: 2 };
  return gpus <= 10_000 ? { tile: 10, gap: 1 } : { tile: 7, gap: 1 };
}

export class Tiles extends Component {
  constructor() {
    super();
    this.state = { at: null, x: 0, y: 0 };
    this.resize = () => this.paint();
  }

  componentDidMount() {
    this.observer = new ResizeObserver(this.resize);
    this.observer.observe(this.base);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.scheme.addEventListener('change', this.resize);
    this.paint();
  }

  componentDidUpdate(before) {
    if (before.tiles !== this.props.tiles) this.paint();
    else this.mark();
  }

  componentWillUnmount() {
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.resize);
  }

  layout(width) {
    const { tiles } = this.props;
    const gpus = tiles.reduce((sum, it) => sum + it.levels.length, 0);
    const size = sizes(tiles.length, gpus);
    const step = size.tile + size.gap;
    const columns = Math.min(ROW, Math.max(1, ...tiles.map((it) => it.levels.length)));
    const rows = Math.max(1, ...tiles.map((it) => Math.ceil(it.levels.length / ROW)));
    const labelled = tiles.length <= MOST_LABELLED;
    const label = labelled ? 18 : 0;
    const space = labelled ? 14 : Math.max(4, size.tile - 2);
    const inner = Math.max(columns * step, labelled ? 116 : 0);
    const height = label + rows * step + 5;
    const perLine = Math.max(1, Math.floor((width + space) / (inner + space)));
    return { ...size, step, columns, label, space, inner, height, perLine, width,
      total: Math.ceil(tiles.length / perLine) * (height + space) };
  }

  place(layout, index) {
    return {
      x: (index % layout.perLine) * (layout.inner + layout.space),
      y: Math.floor(index / layout.perLine) * (layout.height + layout.space),
    };
  }

  paint() {
    const canvas = this.base.querySelector('canvas');
    const width = this.base.clientWidth;
    if (!width) return;
    const layout = (this.last = this.layout(width));
    const scale = Math.min(devicePixelRatio || 1, 2);
    canvas.width = width * scale;
    canvas.height = Math.max(1, layout.total * scale);
    canvas.style.height = layout.total + 'px';
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    const style = getComputedStyle(canvas);
    const colour = Object.fromEntries(
      ['good', 'warn', 'bad', 'use', 'line', 'text', 'tint', 'surface'].map((it) => [it, style.getPropertyValue('--' + it)]));
    context.font = '12px ' + style.fontFamily;
    this.props.tiles.forEach((it, index) => this.block(context, layout, colour, it, this.place(layout, index)));
    this.mark();
    if (!performance.getEntriesByName('painted').length) performance.mark('painted');
  }

  block(context, layout, colour, tile, { x, y }) {
    if (!tile.node.ready) {
      context.fillStyle = colour.tint;
      context.fillRect(x - 3, y - 1, layout.inner + 5, layout.height + 2);
    }
    if (layout.label) {
      context.fillStyle = tile.node.ready ? colour.text : colour.bad;
      context.fillText(fitted(context, (tile.node.ready ? '' : '✘ ') + text(tile.node.name), layout.inner), x, y + 12);
    }
    const top = y + layout.label;
    for (let gpu = 0; gpu < tile.levels.length; gpu++) {
      this.gpu(context, layout, colour, tile, Number(tile.levels[gpu]),
        x + (gpu % ROW) * layout.step, top + Math.floor(gpu / ROW) * layout.step);
    }
    if (tile.inUse !== undefined && tile.levels.length) {
      const bar = Math.min(ROW, tile.levels.length) * layout.step - layout.gap;
      const bottom = y + layout.height - 5;
      context.fillStyle = colour.line;
      context.fillRect(x, bottom, bar, 3);
      context.fillStyle = colour.use;
      context.fillRect(x, bottom, bar * Math.min(1, tile.inUse / tile.levels.length), 3);
    }
  }

  // Not by colour alone: what is bad has a cross, what is degraded a corner, what is unknown no filling.
  gpu(context, { tile: size }, colour, tile, level, x, y) {
    if (level < WORST_HEALTHY || (level === WORST_HEALTHY && !tile.node.ready)) {
      context.strokeStyle = level < WORST_HEALTHY ? colour.line : colour.good;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
      return;
    }
    context.fillStyle = level === WORST_HEALTHY ? colour.good : level === DEGRADED ? colour.warn : colour.bad;
    context.fillRect(x, y, size, size);
    if (level === WORST_HEALTHY || size < 10) return;
    context.strokeStyle = colour.surface;
    context.fillStyle = colour.surface;
    context.lineWidth = 2;
    context.beginPath();
    if (level === DEGRADED) {
      context.moveTo(x + size, y);
      context.lineTo(x + size, y + size / 2);
      context.lineTo(x + size / 2, y);
      context.fill();
    } else {
      const edge = size * 0.28;
      context.moveTo(x + edge, y + edge);
      context.lineTo(x + size - edge, y + size - edge);
      context.moveTo(x + size - edge, y + edge);
      context.lineTo(x + edge, y + size - edge);
      context.stroke();
    }
  }

  // A frame around the tile that the pointer or the keys are at.
  mark() {
    const frame = this.base.querySelector('.frame');
    const { at } = this.state;
    const tile = at && this.props.tiles[at.node];
    frame.hidden = !tile;
    if (!tile) return;
    const { x, y } = this.place(this.last, at.node);
    frame.style.left = x + (at.gpu % ROW) * this.last.step - 2 + 'px';
    frame.style.top = y + this.last.label + Math.floor(at.gpu / ROW) * this.last.step - 2 + 'px';
    frame.style.width = frame.style.height = this.last.tile + 4 + 'px';
  }

  find(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const layout = this.last;
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const column = Math.floor(x / (layout.inner + layout.space));
    const line = Math.floor(y / (layout.height + layout.space));
    const node = line * layout.perLine + column;
    const tile = this.props.tiles[node];
    if (!tile || column >= layout.perLine) return null;
    const place = this.place(layout, node);
    const gpu = Math.max(0, Math.floor((y - place.y - layout.label) / layout.step)) * ROW
      + Math.min(ROW - 1, Math.floor((x - place.x) / layout.step));
    return { node, gpu: Math.min(gpu, Math.max(0, tile.levels.length - 1)) };
  }

  key(event) {
    const { tiles } = this.props;
    const at = this.state.at ?? { node: 0, gpu: 0 };
    const perLine = this.last.perLine;
    const last = (node) => Math.max(0, (tiles[node]?.levels.length ?? 1) - 1);
    const step = {
      ArrowRight: () => (at.gpu < last(at.node) ? { node: at.node, gpu: at.gpu + 1 } : { node: at.node + 1, gpu: 0 }),
      ArrowLeft: () => (at.gpu > 0 ? { node: at.node, gpu: at.gpu - 1 } : { node: at.node - 1, gpu: last(at.node - 1) }),
      ArrowDown: () => ({ node: at.node + perLine, gpu: at.gpu }),
      ArrowUp: () => ({ node: at.node - perLine, gpu: at.gpu }),
      Home: () => ({ node: 0, gpu: 0 }),
      End: () => ({ node: tiles.length - 1, gpu: 0 }),
    }[event.key];
    if (event.key === 'Enter' && tiles[at.node]) open(tiles[at.node]);
    if (!step || !tiles.length) return;
    event.preventDefault();
    const to = this.state.at ? step() : at;
    if (to.node < 0 || to.node >= tiles.length) return;
    this.setState({ at: { node: to.node, gpu: Math.min(to.gpu, last(to.node)) } });
    this.base.querySelector('.frame').scrollIntoView({ block: 'nearest' });
  }

  render({ tiles }) {
    const { at } = this.state;
    const tile = at && tiles[at.node];
    const gpus = tiles.reduce((sum, it) => sum + it.levels.length, 0);
    return el('div', { class: 'tiles' },
      el('canvas', {
        tabIndex: 0, role: 'application', 'aria-describedby': 'tile',
        'aria-label': `${gpus} GPUs of ${tiles.length} nodes, one tile each. Arrow keys move, Enter opens the node. The table below has the same nodes.`,
        onMouseMove: (it) => this.setState({ at: this.find(it) }),
        onMouseLeave: () => this.setState({ at: null }),
        onFocus: () => this.state.at ?? this.setState({ at: { node: 0, gpu: 0 } }),
        onBlur: () => this.setState({ at: null }),
        onClick: (it) => {
          const found = this.find(it);
          if (found) open(tiles[found.node]);
        },
        onKeyDown: (it) => this.key(it),
      }),
      el('div', { class: 'frame', hidden: true }),
      el('div', { id: 'tile', class: 'tip', role: 'status', hidden: !tile }, tile && words(tile, at.gpu)));
  }
}

function words(tile, gpu) {
  const { node } = tile;
  return [
    el('strong', {}, `${text(node.name)} · GPU ${gpu + 1} of ${tile.levels.length}: ${LEVELS[Number(tile.levels[gpu])] ?? 'unknown'}`),
    el('br'),
    node.ready ? 'Node ready' : `Node not ready: ${text(node.reason)}`,
    tile.inUse === undefined ? '' : ` · ${tile.inUse} of ${tile.levels.length} in use`,
    tile.pods ? [el('br'), 'held on this node by ' + text(tile.pods)] : '',
  ];
}

function open(tile) {
  location.hash = '#/node/' + encodeURIComponent(tile.node.name);
}

function fitted(context, label, width) {
  let shown = label;
  while (shown.length > 4 && context.measureText(shown).width > width) shown = shown.slice(0, -2) + '…';
  return shown;
}
