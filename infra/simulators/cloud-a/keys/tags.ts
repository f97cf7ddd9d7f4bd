import { fieldsOf } from '../../toolkit/json-body.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import type { Operations } from '../wire/call.ts'
import { keyNamed, NOT_LEAVING, requireState } from './found-key.ts'
import { list, optionalList, type Input } from '../../toolkit/aws/input.ts'
import { inOrder } from '../../toolkit/pages.ts'
import { kmsTail, pageOf, TAG_PAGES } from '../wire/pages.ts'
import { limitExceeded, validation } from '../wire/refusals.ts'

const MAX_TAGS = 50
/** Letters, digits and spaces of any script, and these characters. */
const CHARACTERS = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u
const KEY_LENGTH = { min: 1, max: 128 }
const VALUE_LENGTH = { min: 0, max: 256 }

const refused = (message: string) => new ServiceError('TagException', message)

export const tagOperations: Operations = {
  TagResource: (call, input) => {
    const added = pairs(list(input, 'Tags'))
    const key = keyNamed(call, input)
    requireState(key, NOT_LEAVING)
    key.tags = withinLimit(new Map([...key.tags, ...added]))
    call.state.save([key])
    return {}
  },
  UntagResource: (call, input) => {
    const removed = list(input, 'TagKeys').map((name) => part(name, 'TagKey', KEY_LENGTH))
    const key = keyNamed(call, input)
    requireState(key, NOT_LEAVING)
    removed.forEach((name) => key.tags.delete(name))
    call.state.save([key])
    return {}
  },
  ListResourceTags: (call, input) => {
    const { tags } = keyNamed(call, input)
    const { names, next } = pageOf(call, input, TAG_PAGES, inOrder([...tags.keys()]))
    return { Tags: names.map((TagKey) => ({ TagKey, TagValue: tags.get(TagKey) ?? '' })), ...kmsTail(next) }
  },
}

/** The optional tags of CreateKey and ReplicateKey. @throws ServiceError TagException, LimitExceededException */
export const readTags = (input: Input): Map<string, string> => withinLimit(pairs(optionalList(input, 'Tags') ?? []))

function withinLimit(tags: Map<string, string>): Map<string, string> {
  if (tags.size > MAX_TAGS) throw limitExceeded(`A key can have at most ${MAX_TAGS} tags.`)
  return tags
}

function pairs(given: readonly unknown[]): Map<string, string> {
  const tags = new Map<string, string>()
  for (const tag of given) {
    const { TagKey, TagValue } = fieldsOf(tag)
    const name = part(TagKey, 'TagKey', KEY_LENGTH)
    if (tags.has(name)) throw refused(`Duplicate tag keys are not allowed: ${name}`)
    tags.set(name, part(TagValue, 'TagValue', VALUE_LENGTH))
  }
  return tags
}

function part(value: unknown, member: string, { min, max }: { min: number; max: number }): string {
  if (typeof value !== 'string' || value.length < min || value.length > max) {
    throw validation(`1 validation error detected: Value at '${member}' must have length between ${min} and ${max}`)
  }
  if (!CHARACTERS.test(value)) throw refused(`${member} contains characters that are not allowed.`)
  if (/^aws:/i.test(value)) throw refused(`aws: prefixed tag keys and values are reserved: ${value}`)
  return value
}
