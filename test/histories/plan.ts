import type { FaultRule } from '../../infra/local/table/fault-proxy.ts'
import type { Verb } from './history.ts'
import { KINDS, type Kind } from './kinds.ts'
import { Dice } from './seeded.ts'

/** One call of a client: what it asks, and of which resource. */
export interface Step {
  readonly resource: number
  readonly verb: Verb
  /** whether the call names the revision that was last seen */
  readonly conditional: boolean
  /** whether an unanswered POST is sent again under its `Idempotency-Key` */
  readonly repeated: boolean
  readonly user: number
}

/** All that is chosen before a history begins; the same seed gives the same plan. */
export interface Plan {
  readonly seed: number
  readonly kind: Kind
  readonly resources: number
  readonly clients: readonly (readonly Step[])[]
  readonly faults: readonly FaultRule[]
  /** the function's process ends after this number of transactions */
  readonly death: number | undefined
}

const FAULTS = ['transaction-conflict', 'throttling', 'commit-then-timeout', 'internal-error'] as const
/** Only a transaction is answered after its effect or by a conflict; the other faults affect every call. */
const OF_TRANSACTIONS: readonly string[] = ['transaction-conflict', 'commit-then-timeout']
/** At most this many calls per history, so that all their orders can be searched. */
const MOST_CALLS = 36

/** @param kinds those to choose from; default: all */
export function planOf(seed: number, kinds: readonly Kind[] = KINDS): Plan {
  const dice = new Dice(seed)
  const kind = dice.of(kinds)
  const resources = dice.between(1, 2)
  const clients = dice.between(2, 8)
  const steps = Math.min(dice.between(3, 8), Math.floor(MOST_CALLS / clients))
  return {
    seed,
    kind,
    resources,
    clients: Array.from({ length: clients }, () => Array.from({ length: steps }, () => stepOf(dice, kind, resources))),
    faults: faultsOf(dice),
    death: dice.chance(0.08) ? dice.between(1, clients * 2) : undefined,
  }
}

const stepOf = (dice: Dice, { verbs, revisions }: Kind, resources: number): Step => ({
  resource: dice.between(0, resources - 1),
  verb: dice.of(verbs),
  conditional: revisions && dice.chance(0.5),
  repeated: dice.chance(0.7),
  user: dice.between(0, 2),
})

/** None, one or several faults, each for a part of the calls. */
function faultsOf(dice: Dice): FaultRule[] {
  return FAULTS.filter(() => dice.chance(0.4)).map((fault) => ({
    fault,
    probability: dice.of([0.03, 0.1, 0.25]),
    seed: dice.between(1, 1_000_000),
    ...(OF_TRANSACTIONS.includes(fault) && { operation: 'TransactWriteItems' }),
  }))
}
