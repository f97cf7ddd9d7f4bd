/** A family of samples of Prometheus's text format. */
export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly value: number
  }[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"/y
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`)
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] }

/**
 * Parses a text of version 0.0.4 more strictly than a server: HELP and TYPE once before the samples of each family, no
 * split family, no duplicate sample, valid names and escapes, cumulative buckets of histograms.
 * @throws Error with the invalid line
 */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  const families = new Map<string, Family>()
  const seen = new Set<string>()
  const lines = text.slice(0, -1).split('\n')
  let family: [name: string, Family] | undefined
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.startsWith('#')) {
      const [, name = '', help = ''] = new RegExp(`^# HELP (${NAME}) ((?:[^\\\\]|\\\\[\\\\n])+)$`).exec(line) ?? []
      const type = new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`).exec(lines[++at] ?? '')?.[1]
      if (name === '' || type === undefined || families.has(name)) throw new Error(`No head of a family: ${line}`)
      if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`The name of a ${type}: ${name}`)
      families.set(name, (family = [name, { type, help, samples: [] }])[1])
      continue
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    const allowed = (SUFFIXES[family?.[1].type ?? ''] ?? ['']).map((suffix) => `${family?.[0]}${suffix}`)
    if (!allowed.includes(name) || seen.has(`${name}{${labels}}`)) throw new Error(`No sample here: ${line}`)
    seen.add(`${name}{${labels}}`)
    family?.[1].samples.push({ name, labels: labelsOf(labels), value: Number(value) })
  }
  for (const [name, { type, samples }] of families) {
    if (samples.length === 0) throw new Error(`${name} has no samples`)
    if (type === 'histogram') assertHistogram(name, samples)
  }
  return families
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  for (let rest = text; rest !== '';) {
    LABEL.lastIndex = 0
    const found = LABEL.exec(rest)
    if (!found) throw new Error(`No label: ${rest}`)
    const [whole, name = '', value = ''] = found
    if (name in labels) throw new Error(`A label twice: ${text}`)
    labels[name] = value.replace(/\\([\\n"])/g, (_, what: string) => (what === 'n' ? '\n' : what))
    rest = rest.slice(whole.length)
    if (rest !== '' && !/^,(?=.)/.test(rest)) throw new Error(`No comma: ${rest}`)
    rest = rest.slice(1)
  }
  return labels
}

function assertHistogram(name: string, samples: Family['samples']): void {
  const series = Map.groupBy(samples, ({ labels: { le: _, ...rest } }) => JSON.stringify(rest))
  for (const [labels, each] of series) {
    const buckets = each.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)))
    const counts = buckets.map(({ value }) => value)
    const rises = (numbers: readonly number[]) => numbers.every((n, at) => at === 0 || n >= (numbers[at - 1] ?? NaN))
    const count = each.find((sample) => sample.name === `${name}_count`)?.value
    const hasSum = each.some((sample) => sample.name === `${name}_sum`)
    if (!rises(bounds) || !rises(counts) || bounds.at(-1) !== Infinity || counts.at(-1) !== count || !hasSum)
      throw new Error(`No histogram: ${name} ${labels}`)
  }
}
