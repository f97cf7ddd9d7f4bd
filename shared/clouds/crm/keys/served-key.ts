import { Refusal } from '../../../base/errors.ts'
import { Changes, retryWhenStale } from '../../../store/changes.ts'
import { localKeys } from '../../../vault/keys/store.ts'
import { servedKeyId } from './kid.ts'
import { crmServedKeys, type StoredServedKey } from './store.ts'

export const kidTaken = (kid: string): Refusal =>
  new Refusal('NAME_TAKEN', `Another cache-only key of the organization has the identifier ${kid}.`, {
    errors: [{ pointer: '#/crm_param/RemoteKeyIdentifier', detail: 'is taken' }],
  })

/**
 * Makes key endpoints serve a cache-only key: before the cloud registers it, because the cloud fetches it then. Safe to
 * repeat. @throws Refusal NAME_TAKEN when another secret has its kid, STATE_CONFLICT when its local key was deleted
 */
export const beginServing = (domain: string, served: StoredServedKey, now: Date): Promise<void> =>
  retryWhenStale(async () => {
    const stored = await crmServedKeys.get(domain, served.id)
    if (stored !== undefined && stored.item.key_id !== served.key_id) throw kidTaken(served.kid)
    if (stored !== undefined) return
    if ((await localKeys.get(domain, served.local_key_id)) === undefined)
      throw new Refusal('STATE_CONFLICT', 'The local key was deleted meanwhile.')
    const changes = new Changes()
    changes.relyOnPresence(localKeys, domain, served.local_key_id)
    changes.create(crmServedKeys, domain, served, () => kidTaken(served.kid))
    await changes.commit(now)
  })

/** The secret as its endpoints serve it; `undefined` for one that was not registered here. */
interface Remote {
  readonly organization_id: string
  readonly crm_param: { readonly RemoteKeyIdentifier?: string | undefined }
}

/**
 * Records whether a caller of this service destroyed a cache-only key: endpoints refuse it then, whatever status the
 * cloud reports. Safe to repeat.
 */
export async function setDestroyed(domain: string, secret: Remote, destroyed: boolean, now: Date): Promise<void> {
  const id = servedKeyId(secret.organization_id, secret.crm_param.RemoteKeyIdentifier ?? '')
  await retryWhenStale(async () => {
    const stored = await crmServedKeys.get(domain, id)
    if (stored === undefined || stored.item.destroyed === destroyed) return
    const changes = new Changes()
    changes.update(crmServedKeys, domain, stored, { ...stored.item, destroyed })
    await changes.commit(now)
  })
}
