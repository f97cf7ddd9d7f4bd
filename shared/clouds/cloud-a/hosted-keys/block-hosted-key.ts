import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudAKey } from '../keys/model.ts'
import { cloudAKeys } from '../keys/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyAnywhere, findKeyFor } from '../keys/find-key.ts'
import { presentKey, tellOf } from '../keys/records.ts'
import { hostedParamsOf } from './hosted-params.ts'

type Switch = (context: Context, id: string) => Promise<Stored<CloudAKey>>

const switchTo =
  (blocked: boolean, find: typeof findKeyFor): Switch =>
  async (context, id) => {
    const { caller, changes, now } = context
    const { stored, kms } = await find(context, id, 'hyokkeyblockunblock')
    const hosted = hostedParamsOf(stored.item)
    if (hosted.blocked === blocked)
      throw new Refusal('STATE_CONFLICT', `The key is ${blocked ? 'blocked already' : 'not blocked'}.`)
    const after = { ...stored.item, local_hosted_params: { ...hosted, blocked }, updatedAt: now.toISOString() }
    changes.update(cloudAKeys, caller.domain.id, stored, after)
    tellOf(context, after, stored.item)
    return presentKey({ item: after, rev: stored.rev + 1 }, kms.item)
  }

/**
 * A blocked key is refused by the data plane, which looks every 5 seconds at the latest; the cloud is not told. Ours: also
 * in an archived container, since it only ever stops something.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it is blocked already, or no hosted key
 */
export const blockKey: Switch = switchTo(true, findKeyAnywhere)
/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless it is blocked */
export const unblockKey: Switch = switchTo(false, findKeyFor)
