import { idOf } from '../state/ids.ts'
import type { HeldSecret } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'

/** Words of the event log about keys. */
export type Action =
  | 'TS Generated'
  | 'TS Imported'
  | 'TS Stored'
  | 'TS Exported'
  | 'TS Read'
  | 'TS Destroyed'
  | 'Key Derived'
  | 'Key Delivered'

/** Adds a row to the event log. */
export function record(
  { state, user }: { readonly state: CrmState; readonly user: { readonly id: string } },
  { id: secretId, organizationId, type }: HeldSecret,
  action: Action,
): void {
  const id = idOf('EventLogFile', state.nextNumber())
  state.save('event', [{ id, organizationId, at: state.now(), action, secretId, type, userId: user.id }])
}
