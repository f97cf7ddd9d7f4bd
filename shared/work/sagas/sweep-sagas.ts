import { Changes } from '../../store/changes.ts'
import { sagas } from './store.ts'
import { askerContext, recordOnBehalf, type OnBehalf } from './asker.ts'
import { sagaKindNamed } from './kinds.ts'
import { goOn } from './saga.ts'

/** Goes on with a saga that its request left: finishes it or takes it back, in the asker's name and audit. */
export async function goOnWithSaga(domain: string, id: string, now: Date): Promise<void> {
  const stored = await sagas.get(domain, id)
  if (stored === undefined || stored.item.state === 'finished' || Date.parse(stored.item.heldUntil) > now.getTime())
    return
  const { item } = stored
  const behalf: OnBehalf = { ...item, now }
  const changes = new Changes()
  const { context, subject } = askerContext(behalf, changes)
  const ending = await goOn(context, sagaKindNamed(item.kind), stored, () => recordOnBehalf(changes, behalf, subject()))
  if (ending.end !== 'refused') return
  const refused = new Changes()
  recordOnBehalf(refused, behalf, subject(), ending.refusal)
  await refused.commit(now)
}
