/** One line of a scenario. `bar` is what the chart shows; lower is better. */
export interface Row {
  name: string;
  bar: number;
  cells: Array<string | number>;
}

export interface Scenario {
  title: string;
  /** A description of the work in one or two sentences. */
  text: string;
  columns: string[];
  unit: string;
  rows: Row[];
  /** Each target with its measured value. */
  targets: Array<{ text: string; holds: boolean }>;
}

export const formatSeconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
export const formatFactor = (factor: number) => `${factor.toFixed(2)} ×`;
export const formatPercent = (share: number) => `${(share * 100).toFixed(1)} %`;

const formatRow = (cells: Array<string | number>) => `| ${cells.join(' | ')} |`;

export function formatTable({ columns, rows }: Scenario): string {
  return [
    formatRow(['', ...columns]),
    formatRow(['---', ...columns.map(() => '---:')]),
    ...rows.map(({ name, cells }) => formatRow([name, ...cells])),
  ].join('\n');
}

const WIDTH = 860;
const LABELS = 300;
const BAR = 20;
const GAP = 8;

const escapeXml = (text: string) => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);
const formatNumber = (value: number) =>
  Number.isInteger(value) || value >= 100 ? value.toFixed(0) : value.toPrecision(3);
const formatTitle = ({ title, unit }: Scenario) => (title.includes(unit) ? title : `${title} (${unit})`);

/** Horizontal bars, one group a scenario; drawn by hand so that the chart needs no library. */
export function drawChart(scenarios: Scenario[]): string {
  let y = 16;
  const parts = scenarios.flatMap((scenario) => {
    const { rows } = scenario;
    const most = Math.max(...rows.map(({ bar }) => bar));
    const head = `<text x="0" y="${(y += 16)}" class="title">${escapeXml(formatTitle(scenario))}</text>`;
    y += GAP + 4;
    const bars = rows.map(({ name, bar }, index) => {
      const width = Math.max(2, (bar / most) * (WIDTH - LABELS - 90));
      const middle = y + BAR / 2 + 4;
      const drawn = [
        `<text x="${LABELS - 10}" y="${middle}" text-anchor="end">${escapeXml(name)}</text>`,
        `<rect x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="3" class="${index === 0 ? 'ours' : 'other'}"/>`,
        `<text x="${(LABELS + width + 8).toFixed(1)}" y="${middle}">${formatNumber(bar)}</text>`,
      ].join('');
      y += BAR + GAP;
      return drawn;
    });
    y += 18;
    return [head, ...bars];
  });
  const style =
    'text{font:13px system-ui,sans-serif;fill:#333}.title{font-weight:600}.ours{fill:#2f7d4f}.other{fill:#b8bfc6}';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img"><style>${style}</style><rect width="100%" height="100%" fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`;
}
