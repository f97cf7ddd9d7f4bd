import { spreadOf, medianOf, type Spread } from './figure.ts'
import { scaled } from './scale.ts'

/** Two implementations of the same work. Each runs `calls` times; preparation belongs in `prepare`. */
export interface Contest {
  readonly ours: Contestant
  readonly bare: Contestant
  readonly rounds: number
  /** turns of each of the two within a round */
  readonly turns: number
  /** calls in one turn */
  readonly calls: number
  /** rounds before the counted ones, so that code is compiled, and caches and connections are warm */
  readonly warmUp?: number
}

export interface Contestant {
  /** Not timed. */
  readonly prepare?: (calls: number) => unknown
  readonly run: (calls: number) => unknown
}

export interface Outcome {
  readonly ratio: Spread
  /** milliseconds per call, median over the rounds */
  readonly oursMs: number
  readonly bareMs: number
}

async function turn({ prepare, run }: Contestant, calls: number): Promise<number> {
  await prepare?.(calls)
  const from = performance.now()
  await run(calls)
  return performance.now() - from
}

/**
 * Times both in turn (A B, B A, …), so that other load on the machine affects both alike; each round results in a
 * ratio.
 */
export async function compare({ ours, bare, calls, ...full }: Contest): Promise<Outcome> {
  const [rounds, turns, warmUp] = [scaled(full.rounds, 2), scaled(full.turns, 1), scaled(full.warmUp ?? 3, 1)]
  const ratios: number[] = []
  const oursMs: number[] = []
  const bareMs: number[] = []
  for (let round = -warmUp; round < rounds; round++) {
    let [a, b] = [0, 0]
    for (let at = 0; at < turns; at++) {
      if ((at + round) % 2 === 0) a += await turn(ours, calls)
      b += await turn(bare, calls)
      if ((at + round) % 2 !== 0) a += await turn(ours, calls)
    }
    if (round < 0) continue
    ratios.push(a / b)
    oursMs.push(a / turns / calls)
    bareMs.push(b / turns / calls)
  }
  return { ratio: spreadOf(ratios), oursMs: medianOf(oursMs), bareMs: medianOf(bareMs) }
}

/** `0.512 ms against 0.401 ms` */
export const versus = ({ oursMs, bareMs }: Pick<Outcome, 'oursMs' | 'bareMs'>): string =>
  `${milliseconds(oursMs)} against ${milliseconds(bareMs)}`

export const milliseconds = (ms: number): string =>
  ms >= 10 ? `${ms.toFixed(0)} ms` : ms >= 0.1 ? `${ms.toFixed(2)} ms` : `${(ms * 1_000).toFixed(2)} µs`
