/** A value of a metric, identified by its labels. */
export interface Sample {
  /** after the metric's name: `_bucket`, `_sum` or `_count` of a histogram */
  readonly suffix?: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** Media type of the text. */
export const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8'

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }
const escaped = (text: string, which: RegExp): string => text.replace(which, (found) => ESCAPES[found] ?? found)

function lineOf(name: string, { suffix = '', labels, value }: Sample): string {
  const told = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text, /[\\\n"]/g)}"`)
  return `${name}${suffix}${told.length === 0 ? '' : `{${told.join(',')}}`} ${value}\n`
}

/**
 * Metrics in Prometheus's text format, version 0.0.4. A metric without samples is left out.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const expositionOf = (metrics: readonly Metric[]): string =>
  metrics
    .filter(({ samples }) => samples.length > 0)
    .map(
      ({ name, help, type, samples }) =>
        `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type}\n${samples.map((each) => lineOf(name, each)).join('')}`,
    )
    .join('')
