import { Changes } from '../../store/changes.ts'
import { isLeased } from '../../store/lease.ts'
import { isOpen, sagas } from './store.ts'
import { contextOnBehalf, recordOnBehalf, type OnBehalf } from '../../http/on-behalf.ts'
import { sagaKindNamed } from './kinds.ts'
import { resumeSaga } from './saga.ts'

/** Finishes or undoes a saga that its request left open, in the initiator's name and audit. */
export async function sweepSaga(domain: string, id: string, now: Date): Promise<void> {
  const stored = await sagas.get(domain, id)
  if (stored === undefined || !isOpen(stored.item) || isLeased(stored.item, now)) return
  const { item } = stored
  const behalf: OnBehalf = { ...item, now }
  const changes = new Changes()
  const { context, subject } = contextOnBehalf(behalf, changes)
  const refusal = await resumeSaga(context, await sagaKindNamed(item.kind), stored, () =>
    recordOnBehalf(changes, behalf, subject()),
  )
  if (refusal === undefined) return
  const refused = new Changes()
  recordOnBehalf(refused, behalf, subject(), refusal)
  await refused.commit(now)
}
