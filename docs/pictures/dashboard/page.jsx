// The dashboard beside this page, dashboard.json, drawn with Grafana's own components from the answers of a Prometheus:
// page.html?prometheus=URL&minutes=20
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import {
  applyFieldOverrides, createDataFrame, createTheme, dateTime, FieldType, getDisplayValueAlignmentFactors, getFieldDisplayValues,
  rangeUtil, ThemeContext, VizOrientation,
} from "@grafana/data";
import "uplot/dist/uPlot.min.css";
import { BigValue, GlobalStyles, Icon, PanelChrome, PortalContainer, TimeSeries, VizRepeater } from "@grafana/ui";

const asked = new URLSearchParams(location.search);
const theme = createTheme({ colors: { mode: "dark" } });
const to = Math.floor(Date.now() / 1000), from = to - 60 * Number(asked.get("minutes"));
const range = { from: dateTime(from * 1000), to: dateTime(to * 1000), raw: { from: "", to: "" } };
const asItIs = (text) => text;

// Grafana's grid: 24 columns, rows of 30 pixels, 8 pixels between panels.
const GAP = 8, ROW = 30 + GAP, WIDTH = document.documentElement.clientWidth - 2 * GAP;
const box = ({ x, y, w, h }) => ({ left: (x * (WIDTH + GAP)) / 24, top: y * ROW, width: (w * (WIDTH + GAP)) / 24 - GAP, height: h * ROW - GAP });

// What Grafana takes where the dashboard says nothing.
const SCRAPED_EVERY = 15; // seconds, of a Prometheus data source
const THRESHOLDS = { mode: "absolute", steps: [{ value: -Infinity, color: "green" }, { value: 80, color: "red" }] };
const LINES = { color: { mode: "palette-classic" }, custom: { lineWidth: 1, fillOpacity: 0, pointSize: 5, showPoints: "auto" } };
const LEGEND = { showLegend: true, displayMode: "list", placement: "bottom", calcs: [] };

function times(step) {
  const first = from - (from % step);
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, i) => first + i * step);
}

async function ask(target, step) {
  const rateInterval = Math.max(step + SCRAPED_EVERY, 4 * SCRAPED_EVERY);
  const query = target.expr.replaceAll("$__rate_interval", `${rateInterval}s`);
  const [path, when] = target.instant ? ["query", { time: to }] : ["query_range", { start: times(step)[0], end: times(step).at(-1), step }];
  const answer = await (await fetch(`${asked.get("prometheus")}/api/v1/${path}?${new URLSearchParams({ query, ...when })}`)).json();
  if (answer.status !== "success") throw new Error(answer.error);
  return answer.data.result;
}

// A label that a series does not have is empty.
const legendOf = (format, labels) => format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => labels[name] ?? "").trim();

// A line has a gap where there is no number.
function pointsOf(series, step) {
  if (series.value) return [[series.value[0], Number(series.value[1])]];
  const known = new Map(series.values.map(([time, value]) => [time, Number(value)]));
  return times(step).map((time) => [time, Number.isFinite(known.get(time)) ? known.get(time) : null]);
}

function frameOf(series, target, config, step) {
  const points = pointsOf(series, step);
  return createDataFrame({ refId: target.refId, fields: [
    { name: "Time", type: FieldType.time, config: { interval: step * 1000 }, values: points.map(([time]) => time * 1000) },
    { name: "Value", type: FieldType.number, labels: series.metric, values: points.map(([, value]) => value),
      config: { ...structuredClone(config), displayNameFromDS: legendOf(target.legendFormat, series.metric) } },
  ] });
}

async function framesOf(panel) {
  const { defaults, overrides } = panel.fieldConfig;
  if (overrides.length > 0) throw new Error(`${panel.title}: overrides are not drawn`);
  const plain = panel.type === "timeseries" ? LINES : {};
  const config = { thresholds: THRESHOLDS, ...plain, ...defaults, custom: { ...plain.custom, ...defaults.custom } };
  const step = Math.max(SCRAPED_EVERY, rangeUtil.roundInterval(((to - from) * 1000) / box(panel.gridPos).width) / 1000);
  const answers = await Promise.all(panel.targets.map((target) => ask(target, step)));
  const frames = answers.flatMap((result, i) => result.map((series) => frameOf(series, panel.targets[i], config, step)));
  return applyFieldOverrides({ data: frames, fieldConfig: { defaults: {}, overrides: [] }, replaceVariables: asItIs, theme, timeZone: "utc" });
}

function Stat({ panel, frames, width, height }) {
  const { reduceOptions, colorMode = "value", graphMode = "area" } = panel.options;
  const values = () => getFieldDisplayValues({
    fieldConfig: { defaults: {}, overrides: [] }, reduceOptions, replaceVariables: asItIs, theme, data: frames, sparkline: true, timeZone: "utc" });
  const big = ({ value, alignmentFactors, width, height, count }) => <BigValue value={value.display} sparkline={value.sparkline} theme={theme}
    {...{ colorMode, graphMode, justifyMode: "auto", textMode: "auto", alignmentFactors, width, height, count }} />;
  return <VizRepeater getValues={values} getAlignmentFactors={getDisplayValueAlignmentFactors} renderValue={big} source={frames} renderCounter={0}
    orientation={VizOrientation.Auto} itemSpacing={3} {...{ width, height }} />;
}

function Content({ panel, frames, width, height }) {
  if (frames.length === 0) return <div style={{ display: "grid", placeItems: "center", height, color: theme.colors.text.secondary }}>No data</div>;
  if (panel.type === "stat") return <Stat {...{ panel, frames, width, height }} />;
  return <TimeSeries frames={frames} timeRange={range} timeZone="utc" legend={{ ...LEGEND, ...panel.options?.legend }} {...{ width, height }} />;
}

function Row({ panel }) {
  return <div style={{ font: `500 ${theme.typography.h6.fontSize} Inter` }}>
    <Icon name={panel.collapsed ? "angle-right" : "angle-down"} size="lg" /> {panel.title}
    <span style={{ color: theme.colors.text.secondary }}>{panel.collapsed && ` (${panel.panels.length} panels)`}</span>
  </div>;
}

function Panel({ panel, frames }) {
  const place = box(panel.gridPos);
  return <div style={{ position: "absolute", ...place }}>{panel.type === "row" ? <Row panel={panel} /> :
    <PanelChrome title={panel.title} description={panel.description} width={place.width} height={place.height}>
      {(width, height) => <Content {...{ panel, frames, width, height }} />}
    </PanelChrome>}
  </div>;
}

const dashboard = await (await fetch("dashboard.json")).json();
const all = await Promise.all(dashboard.panels.map(async (panel) => [panel, panel.type === "row" ? [] : await framesOf(panel)]));
const root = createRoot(document.getElementById("page"));
const show = (content) => root.render(<ThemeContext.Provider value={theme}><GlobalStyles /><PortalContainer />{content}</ThemeContext.Provider>);
flushSync(() => show(null)); // texts are measured when they are drawn, so their fonts come first
await Promise.all([400, 500].map((weight) => document.fonts.load(`${weight} 14px Inter`)));
show(<>
  <header style={{ display: "flex", justifyContent: "space-between", height: ROW, padding: GAP }}>
    <h3>{dashboard.title}</h3>
    <span>Last {asked.get("minutes")} minutes, UTC</span>
  </header>
  <main style={{ position: "relative", margin: `0 ${GAP}px` }}>{all.map(([panel, frames]) => <Panel key={panel.id} {...{ panel, frames }} />)}</main>
</>);
