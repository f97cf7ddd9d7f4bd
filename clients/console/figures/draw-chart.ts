/** Draws charts. It is loaded with the library when the first chart is shown. */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js'
import type { ChartProps } from './chart.tsx'

Chart.register(BarController, BarElement, LineController, LineElement, PointElement, CategoryScale, LinearScale)
Chart.register(Legend, Tooltip)

/** Variables of the style sheet, which differ between light and dark. */
const COLOURS = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6']

/** The present value of a CSS variable, which a canvas cannot read. */
function colourOf(element: HTMLElement, variable: string): string {
  const probe = element.ownerDocument.createElement('span')
  probe.style.color = `var(${variable})`
  element.parentElement?.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** @returns a function that removes the chart */
export function drawChart(
  canvas: HTMLCanvasElement,
  { kind, labels, series, isStacked, unit }: ChartProps,
): () => void {
  const [ink, line] = [colourOf(canvas, '--ink'), colourOf(canvas, '--line')]
  const scale = { stacked: isStacked === true, ticks: { color: ink, precision: 0 }, grid: { color: line } }
  const chart = new Chart(canvas, {
    type: kind,
    data: {
      labels: [...labels],
      datasets: series.map(({ title, values, tone }, at) => {
        const own = tone === undefined ? COLOURS[at % COLOURS.length] : `--series-${tone}`
        const colour = colourOf(canvas, own ?? '--ink')
        return { label: title, data: [...values], backgroundColor: colour, borderColor: colour, maxBarThickness: 48 }
      }),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      scales: { x: { ...scale, grid: { display: false } }, y: { ...scale, beginAtZero: true } },
      plugins: {
        legend: { display: series.length > 1, position: 'bottom', labels: { color: ink, boxWidth: 12 } },
        tooltip: { callbacks: { footer: () => unit } },
      },
    },
  })
  return () => chart.destroy()
}
