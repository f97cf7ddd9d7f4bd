import { Refusal } from '../../../base/errors.ts'
import { errorFields, log } from '../../../base/log.ts'
import { Changes } from '../../../store/changes.ts'
import { localKeys } from '../store.ts'
import { contextOnBehalf, recordOnBehalf, type Initiator, type OnBehalf } from '../../../http/on-behalf.ts'
import { usesKey } from '../record/uses.ts'
import { newVersion } from './new-version.ts'

/** The service itself as initiator, with the right to rotate any key. */
const service = (domain: string): Initiator => ({
  sub: 'keymgr',
  username: '',
  domain: { id: domain, name: '' },
  homeDomainId: domain,
  groups: ['admin'],
})

/** Stages that the counter is no longer due. */
const planSettled = (changes: Changes, domain: string, versionId: string): void =>
  changes.plan(
    { update: usesKey(domain, versionId), expression: 'REMOVE due, due_at' },
    () => new Error('A write without a condition was refused'),
  )

/**
 * Creates a new version of a local key whose latest version has reached half of its allowed encryptions (NIST SP
 * 800-38D §8.3). A version that was succeeded or deleted meanwhile needs none. If the rotation is refused, further uses
 * trigger it again. In either case an audit record is written.
 */
export async function rotateUsedKey(domain: string, versionId: string, now: Date): Promise<void> {
  const stored = await localKeys.get(domain, versionId)
  const onBehalf: OnBehalf = {
    initiator: service(domain),
    now,
    traceId: versionId,
    clientIp: '',
    summary: 'Rotate Used Local Key',
    fingerprint: versionId,
  }
  const changes = new Changes()
  planSettled(changes, domain, versionId)
  if (stored?.item.latest === true) {
    const { context, subject } = contextOnBehalf(onBehalf, changes)
    try {
      await newVersion(context, versionId, {}, 'id')
      recordOnBehalf(changes, onBehalf, subject())
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason === 'UNAVAILABLE') throw error
      return refuseRotation(onBehalf, domain, versionId, stored.item, error)
    }
  }
  await changes.commit(now)
}

/** Records the refusal and drops the staged changes. */
async function refuseRotation(
  onBehalf: OnBehalf,
  domain: string,
  versionId: string,
  { uri, name }: { readonly uri: string; readonly name: string },
  refusal: Refusal,
): Promise<void> {
  log('error', 'a key version used often gets no successor', { domain, key: versionId, ...errorFields(refusal) })
  const changes = new Changes()
  planSettled(changes, domain, versionId)
  recordOnBehalf(changes, onBehalf, { uri, name }, refusal)
  await changes.commit(onBehalf.now)
}
