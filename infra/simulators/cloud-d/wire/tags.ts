import type { DefinedTags, FreeformTags, Tagged } from '../state/held.ts'
import { isObject, textAt, type Body } from './body.ts'
import type { Call } from './call.ts'
import { invalid, missing, relatedNotFound } from './errors.ts'

const MOST = { name: 255, freeformTags: 10, key: 100, value: 256 } as const

/** @throws ApiError InvalidParameter */
function nameIn(body: Body): string | undefined {
  const name = textAt(body, 'displayName')
  if (name !== undefined && (name === '' || name.length > MOST.name))
    throw invalid(`displayName must have 1 to ${MOST.name} characters.`)
  return name
}

/** @throws ApiError InvalidParameter */
function freeformTagsIn(body: Body): FreeformTags | undefined {
  const tags = body.freeformTags ?? undefined
  if (tags === undefined) return undefined
  if (!isObject(tags)) throw invalid('freeformTags must be an object.')
  const isGood = (entry: [string, unknown]): entry is [string, string] =>
    entry[0].length <= MOST.key && typeof entry[1] === 'string' && entry[1].length <= MOST.value
  const entries = Object.entries(tags)
  if (entries.length > MOST.freeformTags || !entries.every(isGood)) throw invalid('freeformTags are not valid.')
  return Object.fromEntries(entries)
}

/** @throws ApiError InvalidParameter, RelatedResourceNotAuthorizedOrNotFound for a tag without a definition */
function definedTagsIn({ caller }: Call, body: Body): DefinedTags | undefined {
  const tags = body.definedTags ?? undefined
  if (tags === undefined) return undefined
  if (!isObject(tags)) throw invalid('definedTags must be an object.')
  return Object.fromEntries(
    Object.entries(tags).map(([name, values]) => {
      if (!isObject(values)) throw invalid(`definedTags.${name} must be an object.`)
      const namespace = caller.tenancy.tagNamespaces.find((each) => each.name.toLowerCase() === name.toLowerCase())
      const unknown = Object.keys(values).find((key) => namespace?.keys.includes(key) !== true)
      if (namespace === undefined || unknown !== undefined)
        throw relatedNotFound(`The tag namespace or key '${[name, unknown].filter(Boolean).join('.')}'`)
      return [namespace.name, values]
    }),
  )
}

/** Name and tags of a new resource. @throws ApiError MissingParameter, InvalidParameter, RelatedResource… */
export function taggedIn(call: Call, body: Body): Tagged {
  const displayName = nameIn(body)
  if (displayName === undefined) throw missing('displayName')
  return {
    displayName,
    freeformTags: freeformTagsIn(body) ?? {},
    definedTags: definedTagsIn(call, body) ?? {},
  }
}

/** Name and tags after a change: a given map replaces the former one completely. @throws as `taggedIn` */
export function retagged(call: Call, before: Tagged): Tagged {
  const { body } = call
  return {
    displayName: nameIn(body) ?? before.displayName,
    freeformTags: freeformTagsIn(body) ?? before.freeformTags,
    definedTags: definedTagsIn(call, body) ?? before.definedTags,
  }
}
