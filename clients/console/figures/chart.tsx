import { useEffect, useId, useRef } from 'preact/hooks'
import { watchTheme } from '../shell/theme.ts'
import { count } from '../words/numbers.ts'
import type { Tone } from '../words/states.tsx'

export interface Series {
  readonly title: string
  /** one for each label */
  readonly values: readonly number[]
  /** the tone of the state that the series counts, if it counts one */
  readonly tone?: Tone
}

export interface ChartProps {
  readonly title: string
  /** unit of the values, such as `keys` or `ms` */
  readonly unit: string
  readonly kind: 'bar' | 'line'
  /** noun of the labels, such as `Cloud` */
  readonly by: string
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  /** bars of one label are stacked */
  readonly isStacked?: boolean
}

/** A chart on a canvas, with its title, its unit, and a table of the same values. */
export function Chart(props: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const id = useId()
  const { title, unit, by, labels, series } = props
  const drawn = JSON.stringify(props)
  useEffect(() => {
    let isOver = false
    let end: () => void = () => undefined
    const draw = async (): Promise<void> => {
      const { drawChart } = await import('./draw-chart.ts')
      if (isOver || canvas.current === null) return
      end()
      end = drawChart(canvas.current, props)
    }
    void draw()
    const unwatch = watchTheme(() => void draw())
    return () => {
      isOver = true
      unwatch()
      end()
    }
  }, [drawn])
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>
        {title} <span class="quiet">({unit})</span>
      </figcaption>
      <div class="canvas">
        <canvas ref={canvas} role="img" aria-label={`${title}, in ${unit}; the table below has the figures`} />
      </div>
      <details>
        <summary>Figures as a table</summary>
        <div class="scrolled">
          <table>
            <caption class="unseen">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{by}</th>
                {series.map((each) => (
                  <th key={each.title} scope="col">
                    {each.title} ({unit})
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, at) => (
                <tr key={label}>
                  <th scope="row">{label}</th>
                  {series.map((each) => (
                    <td key={each.title}>{count(each.values[at] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
