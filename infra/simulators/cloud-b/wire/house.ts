import type { RequestLog } from '../../toolkit/request-log.ts'
import type { Challenges } from '../login/challenges.ts'
import type { CloudState } from '../state/state.ts'
import type { CloudBCall, Faults } from './faults.ts'
import type { RateLimits } from './rates.ts'

/** The parts of the simulator that a request passes through. */
export interface House {
  readonly state: CloudState
  readonly challenges: Challenges
  readonly rates: RateLimits
  readonly faults: Faults
  readonly log: RequestLog<CloudBCall>
  /** Rows of one answer to a query of logs. */
  readonly rowsMost: () => number
}
