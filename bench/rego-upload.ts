import { compileUpload } from '../shared/rego/decision.ts'
import { LIMITS } from '../shared/rego/limits.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { isQuick } from './scale.ts'

const HEAD = 'package a\nallow := true\n'

/** As many of one piece as fit between head and tail. */
const filled = (head: string, piece: (n: number) => string, tail: string): string => {
  let text = head
  for (let n = 0; text.length + piece(n).length + tail.length <= LIMITS.policyBytes; n++) text += piece(n)
  return text + tail
}

const ORDINARY = filled(
  HEAD,
  (n) => `p${n} if {\n\tinput.operation == "op${n}"\n\tnot blocked[input.names[${n}]]\n}\n`,
  'blocked contains x if x := input.blocklist[_]\n',
)

/** Each is quadratic in something, or was. */
const HOSTILE: Readonly<Record<string, string>> = {
  exponents: filled(`${HEAD}p := [`, (n) => `1e9${10 + (n % 90)},`, '1]'),
  'refused exponents': filled(`${HEAD}p := [`, () => '1e30102,', '1]'),
  branches: filled(`${HEAD}p := 1 if false`, (n) => ` else := ${n % 10}`, ''),
  closures: filled(HEAD, (n) => `p${n} := ${'[x|x:='.repeat(60)}1${']'.repeat(60)}\n`, ''),
  comprehensions: filled(`${HEAD}p := [`, () => '[x|x=1],', '1]'),
  withs: filled(`${HEAD}p if not count([${'input.x,'.repeat(3_000)}])`, () => ' with input as 1', ''),
  patterns: `${HEAD}p if { [${pattern(0, 5_001)}] = [${pattern(1, 5_000)},1] }`,
  'nested sets': filled(`${HEAD}p := [`, () => `${'{'.repeat(150)}1${'}'.repeat(150)},`, '1]'),
  templates: filled(`${HEAD}p := $"`, () => '{input}', '"'),
}

function pattern(from: number, count: number): string {
  return Array.from({ length: count }, (_, n) => `v${n + from}`).join(',')
}

async function tookMs(text: string): Promise<number> {
  const from = performance.now()
  await compileUpload(text).catch(() => undefined)
  return performance.now() - from
}

/**
 * Uploads of 64 KiB made to be slow against an ordinary policy of that size, each the worst of its round: at most 5 times.
 * The budget of a compilation holds that; without it the worst took 3 s.
 */
export async function measure(): Promise<Figure[]> {
  const ratios: number[] = []
  const all = { ordinary: [] as number[], worst: [] as number[] }
  const slowest = new Map<string, number>()
  for (let round = 0; round < (isQuick ? 7 : 21); round++) {
    const ordinary = await tookMs(ORDINARY)
    let worst = 0
    for (const [name, text] of Object.entries(HOSTILE)) {
      const ms = await tookMs(text)
      if (ms > worst) worst = ms
      slowest.set(name, Math.max(ms, slowest.get(name) ?? 0))
    }
    if (round < 2) continue // cold
    ratios.push(worst / ordinary)
    all.ordinary.push(ordinary)
    all.worst.push(worst)
  }
  const [name = ''] = [...slowest].sort(([, a], [, b]) => b - a)[0] ?? []
  const note = `${medianOf(all.worst).toFixed(0)} ms (${name}) / ${medianOf(all.ordinary).toFixed(0)} ms`
  return [{ name: 'rego upload, 64 KiB: hostile / ordinary', measured: spreadOf(ratios), promise: { atMost: 5 }, note }]
}
