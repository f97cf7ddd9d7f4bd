/**
 * `npm run fuzz -- <parser> <seconds> [--seed <number>] [--keep]`: changes known inputs, and goes on from those that
 * reach new code. An input that ends a parser with an error of no kind of its own, or that costs too much, is written to
 * `test/fuzz/crashes`, where the tests read it. `--keep` writes small inputs that reached new code to
 * `test/fuzz/corpus`.
 */
import { parseArgs } from 'node:util'
import { Dice } from '../histories/seeded.ts'
import { keep, keptOf } from './corpus.ts'
import { costOf, isTooMuch } from './cost.ts'
import { startCoverage } from './coverage.ts'
import { mutated } from './mutate.ts'
import { TARGETS } from './targets.ts'

/** Larger inputs are not kept in the repository. */
const KEPT_BYTES = 2_048
/** Coverage is read once per this number of inputs, and after each of them if it increased. */
const TOGETHER = 16

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, keep: { type: 'boolean' } },
})
const [parser = '', seconds = '60'] = positionals
const load = TARGETS[parser]
if (load === undefined) {
  process.stderr.write(`Parsers: ${Object.keys(TARGETS).join(', ')}\n`)
  process.exit(2)
}
const { target } = await load()
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000_000))
const dice = new Dice(seed)
const inputs = [
  ...target.seeds().map((each) => Buffer.from(each)),
  ...keptOf('corpus', parser).map(([, bytes]) => bytes),
]
const coverage = await startCoverage()

/** Runs one input. @returns the reason why it is a fault, if it is */
async function faultOf(bytes: Buffer): Promise<string | undefined> {
  try {
    const cost = await costOf(() => target.parse(bytes))
    return isTooMuch(cost) ? `takes ${Math.round(cost.ms)} ms and ${cost.bytes} bytes` : undefined
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

async function assertNoFault(bytes: Buffer): Promise<void> {
  const fault = await faultOf(bytes)
  if (fault === undefined) return
  process.stdout.write(`${keep('crashes', parser, bytes)}: ${fault}\n`)
  process.exit(1)
}

/** Adds those of some inputs that reach new code. */
async function grow(tried: readonly Buffer[]): Promise<void> {
  if ((await coverage.fresh()) === 0) return
  const smallest = tried.reduce((least, each) => (each.length < least.length ? each : least))
  inputs.push(...tried)
  if (values.keep === true && smallest.length <= KEPT_BYTES) keep('corpus', parser, smallest)
}

for (const input of inputs) await assertNoFault(input)
await coverage.fresh()
const first = coverage.total()
const until = Date.now() + Number(seconds) * 1_000
let runs = 0
while (Date.now() < until) {
  const tried = Array.from({ length: TOGETHER }, () => mutated(dice.of(inputs), dice, inputs))
  for (const bytes of tried) await assertNoFault(bytes)
  runs += TOGETHER
  await grow(tried)
}
await coverage.stop()
process.stdout.write(
  `${parser}: ${runs} inputs from seed ${seed}, blocks reached ${first} at first, ${coverage.total()} at last; ` +
    `${inputs.length} inputs lead further, no fault\n`,
)
process.exit(0)
