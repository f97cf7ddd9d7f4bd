import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { TAGS_MOST } from '../keys/model.ts'

/** The prefix of tags that only the cloud sets, in any case. They do not count towards the limit of a key. */
const CLOUDS_OWN = 'aws:'

/** Whether only the cloud sets a tag of this name: it cannot be copied to another key. */
export const isCloudsTag = (name: string): boolean => name.toLowerCase().startsWith(CLOUDS_OWN)

/**
 * @param pointerTo pointer to the name at an index of the list
 * @throws Refusal RULE_BROKEN for names that the cloud reserves
 */
export function assertTagNames(names: readonly string[], pointerTo: (at: number) => string): void {
  const detail = `must not begin with ${CLOUDS_OWN}`
  const errors = names.flatMap((name, at) => (isCloudsTag(name) ? [{ pointer: pointerTo(at), detail }] : []))
  if (errors.length > 0) throw new Refusal('RULE_BROKEN', `A tag key ${detail}.`, { errors })
}

/**
 * As `assertTagNames`, for a body's `cloud_a_param.Tags`, which must leave room for the tags that the service adds.
 * @param ours number of those tags
 */
export function assertNewTags(tags: readonly { readonly TagKey: string }[] = [], ours = 1): void {
  assertTagNames(
    tags.map(({ TagKey }) => TagKey),
    (at) => `#/cloud_a_param/Tags/${at}/TagKey`,
  )
  if (tags.length + ours <= TAGS_MOST) return
  const detail = `must leave room for the service, which sets ${ours} of the ${TAGS_MOST} tags that a key may have`
  throw ruleBroken('cloud_a_param/Tags', detail)
}
