import { ask } from './client.ts'
import { codeOf } from './errors.ts'
import { keyName } from './names.ts'
import type { CloudC, CloudCBinding, CloudCPlace, CloudCPolicy } from './types.ts'
import { Policy } from './wire.ts'

/** The version with conditions: older versions omit the conditions of bindings. */
const POLICY_VERSION = 3
/** Ours: attempts when another party changes the same policy at the same moment. */
const TRIES = 3

export const policy: CloudC['policy'] = (place, ref) =>
  ask(place, {
    service: 'kms',
    method: 'GET',
    path: `/v1/${keyName(place.ring, ref)}:getIamPolicy`,
    query: { 'options.requestedPolicyVersion': POLICY_VERSION },
    reply: Policy,
  })

const put = (
  place: CloudCPlace,
  ref: string,
  bindings: readonly CloudCBinding[],
  etag: string,
): Promise<CloudCPolicy> =>
  ask(place, {
    service: 'kms',
    method: 'POST',
    path: `/v1/${keyName(place.ring, ref)}:setIamPolicy`,
    body: { policy: { version: POLICY_VERSION, bindings, etag } },
    reply: Policy,
  })

export const setPolicy: CloudC['setPolicy'] = async (place, ref, { bindings, etag }) => {
  if (etag !== undefined) return put(place, ref, bindings, etag)
  for (let left = TRIES - 1; ; left--) {
    try {
      return await put(place, ref, bindings, (await policy(place, ref)).etag)
    } catch (error) {
      if (codeOf(error) !== 'ABORTED' || left === 0) throw error
    }
  }
}
