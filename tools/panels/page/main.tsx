/** A Grafana page: the dashboard's title, its variables, its rows and panels on the grid. `drawPage` is called by draw.mjs. */
import { createTheme, ThemeContext } from '@grafana/data';
import { GlobalStyles, PortalContainer } from '@grafana/ui';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import type { PageData } from './page-data';
import { DrawnPanel } from './panel';

/** Grafana's grid: 24 columns, rows of 30 px, gaps of 8 px. */
const columns = 24;
const rowPx = 30;
const gapPx = 8;
const marginPx = 16;
const headPx = 64;

const theme = createTheme({ colors: { mode: 'dark' } });

function Page({ data, width }: { data: PageData; width: number }): ReactNode {
  const { title, panels, templating } = data.dashboard;
  const cell = (width - 2 * marginPx + gapPx) / columns;
  const bottom = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h));
  return (
    <div style={{ position: 'relative', width, height: headPx + bottom * (rowPx + gapPx) + marginPx, background: theme.colors.background.canvas }}>
      <h1 style={{ position: 'absolute', left: marginPx, top: 16, fontSize: 22, margin: 0 }}>{title}</h1>
      <div style={{ position: 'absolute', right: marginPx, top: 22, color: theme.colors.text.secondary }}>
        {templating.list
          .map(({ name, label }) => `${label}: ${name === 'datasource' ? 'Prometheus' : (data.variables[name] ?? 'All')}`)
          .join('   ·   ')}
      </div>
      {panels.map((panel) => {
        const { x, y, w, h } = panel.gridPos;
        const place = { position: 'absolute', left: marginPx + x * cell, top: headPx + y * (rowPx + gapPx) } as const;
        if (panel.type === 'row') {
          return (
            <h2 key={panel.id} style={{ ...place, fontSize: 16, margin: 0, lineHeight: `${rowPx}px` }}>
              {panel.title}
            </h2>
          );
        }
        const queries = data.queries.filter(({ id }) => id === panel.id);
        return (
          <div key={panel.id} style={place}>
            <DrawnPanel panel={panel} queries={queries} range={data.range} width={w * cell - gapPx} height={h * (rowPx + gapPx) - gapPx} />
          </div>
        );
      })}
    </div>
  );
}

declare global {
  interface Window {
    drawPage(data: PageData, width: number): void;
  }
}

window.drawPage = (data, width) => {
  const root = document.createElement('div');
  document.body.replaceChildren(root);
  createRoot(root).render(
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <Page data={data} width={width} />
      <PortalContainer />
    </ThemeContext.Provider>,
  );
};
