import type { SimulatedUser } from '../login/directory.ts'
import type { HeldOrganization } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'

/** One call of the Metadata API, by a user with a session. */
export interface MetadataCall {
  readonly state: CrmState
  readonly organization: HeldOrganization
  readonly user: SimulatedUser
}
