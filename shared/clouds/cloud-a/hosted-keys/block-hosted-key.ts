import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudAKey } from '../keys/model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyAnywhere, findKeyFor } from '../../../cloud/keys/find-key.ts'
import { changeKey } from '../../../cloud/keys/record-key.ts'
import { keyKind, type CloudATypes } from '../keys/kind.ts'
import { hostedParamsOf } from './hosted-params.ts'

type Switch = (context: Context, id: string) => Promise<Stored<CloudAKey>>

const switchTo =
  (blocked: boolean, find: typeof findKeyFor<CloudATypes>): Switch =>
  async (context, id) => {
    const found = await find(keyKind, context, id, 'hyokkeyblockunblock')
    const hosted = hostedParamsOf(found.stored.item)
    if (hosted.blocked === blocked)
      throw new Refusal('STATE_CONFLICT', `The key is ${blocked ? 'blocked already' : 'not blocked'}.`)
    return changeKey(keyKind, context, found, (key) => ({ ...key, local_hosted_params: { ...hosted, blocked } }))
  }

/**
 * A blocked key is refused by the data plane, which looks every 5 seconds at the latest; the cloud is not told. Ours: also
 * in an archived container, since it only ever stops something.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it is blocked already, or no hosted key
 */
export const blockKey: Switch = switchTo(true, findKeyAnywhere)
/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless it is blocked */
export const unblockKey: Switch = switchTo(false, findKeyFor)
