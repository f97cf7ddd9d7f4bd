import { defined } from '../../base/fields.ts'
import { notThere, Refusal, ruleBroken } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listedWhole, type ResourceList } from '../../resource/listed.ts'
import { patternTest } from '../../http/lists/patterns.ts'
import type { Stored } from '../../store/entity.ts'
import type { Property, PropertyQuery, UpdateProperty } from './model.ts'
import { isProperty, PROPERTIES, properties, type PropertyName, type StoredProperty } from './store.ts'

function shown(name: PropertyName, stored: Stored<StoredProperty> | undefined): Stored<Property> {
  const { description, usual, min, max } = PROPERTIES[name]
  const { value = usual, updatedAt } = stored?.item ?? {}
  const item = { name, description, value, default: usual, min, max, ...defined({ updatedAt }) }
  return { item, rev: stored?.rev ?? 0 }
}

/**
 * Ours: properties belong to the deployment, so other domains neither see nor change them. @throws Refusal
 * ACTION_DENIED
 */
function assertRoot({ caller }: Context): void {
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Properties are those of the deployment: the root domain has them.')
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED */
async function find(context: Context, name: string) {
  assertRoot(context)
  if (!isProperty(name)) throw notThere('There is no such property.')
  return { name, stored: await properties.get(ROOT_DOMAIN_ID, name) }
}

/** @throws Refusal ACTION_DENIED */
export async function listProperties(context: Context, query: PropertyQuery): Promise<ResourceList<Property>> {
  assertRoot(context)
  const names = Object.keys(PROPERTIES).filter(isProperty)
  const set = new Map((await properties.getMany(ROOT_DOMAIN_ID, names)).map((stored) => [stored.item.id, stored]))
  const isNamed = query.name === undefined ? () => true : patternTest(query.name)
  const wanted = names.filter((name) => isNamed(name)).map((name) => shown(name, set.get(name)).item)
  return listedWhole(wanted, query, ({ name }) => name)
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED */
export async function getProperty(context: Context, name: string): Promise<Stored<Property>> {
  const found = await find(context, name)
  return shown(found.name, found.stored)
}

const tell = ({ about }: Context, name: PropertyName, before: number, after: number): void =>
  about({
    uri: resourceUri(ROOT_DOMAIN_ID, 'configs', 'properties', name),
    name,
    before: { value: before },
    after: { value: after },
  })

/** Takes effect within a minute. @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, VERSION_STALE */
export async function updateProperty(
  context: Context,
  asked: string,
  { value }: UpdateProperty,
): Promise<Stored<Property>> {
  const { name, stored } = await find(context, asked)
  const before = shown(name, stored)
  assertIfMatch(context, before)
  const { min, max } = PROPERTIES[name]
  if (value < min || value > max) throw ruleBroken('value', `must be from ${min} to ${max}`)
  const { changes, now } = context
  const item = { id: name, value, updatedAt: now.toISOString() }
  if (stored === undefined) changes.create(properties, ROOT_DOMAIN_ID, item)
  else changes.update(properties, ROOT_DOMAIN_ID, stored, item)
  tell(context, name, before.item.value, value)
  return shown(name, { item, rev: before.rev + 1 })
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE */
export async function resetProperty(context: Context, asked: string): Promise<Stored<Property>> {
  const { name, stored } = await find(context, asked)
  const before = shown(name, stored)
  assertIfMatch(context, before)
  if (stored !== undefined) context.changes.remove(properties, ROOT_DOMAIN_ID, stored)
  tell(context, name, before.item.value, PROPERTIES[name].usual)
  return shown(name, undefined)
}
