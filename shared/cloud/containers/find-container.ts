import type { Caller, Context } from '../../http/context.ts'
import { Uuid } from '../../http/common-fields.ts'
import { Refusal, type BrokenField, notThere } from '../../base/errors.ts'
import type { Stored } from '../../store/entity.ts'
import { idsAfter } from '../../store/list.ts'
import { assertMay, may } from './acl.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from './kind.ts'

const PAGE = 100

/** Whether the caller may see a container at all. */
export const maySee = <T extends StoredContainer, R extends ContainerRow, S>(
  { views }: ContainerKind<T, R, S>,
  caller: Caller,
  container: Pick<T, 'acls'>,
): boolean => may(caller, container, ...views)

/** Containers with an id or name, whether or not the caller may see them: at most one if names are unique. */
export async function containersNamed<T extends StoredContainer, R extends ContainerRow, S>(
  { entity, namedBy, sharedNames }: ContainerKind<T, R, S>,
  domain: string,
  reference: string,
): Promise<Stored<T>[]> {
  const byId = Uuid.safeParse(reference).success ? await entity.get(domain, reference) : undefined
  if (byId === undefined && sharedNames !== undefined)
    return entity.getMany(domain, await sharedNames.idsOf(domain, reference))
  const found = byId ?? (await entity.find(domain, namedBy, reference))
  return found === undefined ? [] : [found]
}

const ambiguous = (noun: string, reference: string, orAs: string, field: BrokenField | undefined): Refusal =>
  new Refusal('NAME_TAKEN', `There are several ${noun}s named ${reference}: name one by its id, or as ${orAs}.`, {
    ...(field && { errors: [{ ...field, detail: 'names several' }] }),
  })

/**
 * A container by id or name that the caller may see at all.
 * @param field where a body names it, for the refusal
 * @throws Refusal NOT_FOUND, NAME_TAKEN when the caller may see several of that name
 */
export async function findContainer<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  { caller }: Pick<Context, 'caller'>,
  reference: string,
  field?: BrokenField,
): Promise<Stored<T>> {
  const { noun, sharedNames } = kind
  const named = await containersNamed(kind, caller.domain.id, reference)
  const [found, another] = named.filter(({ item }) => maySee(kind, caller, item))
  if (found === undefined) throw notThere(`There is no such ${noun}.`, field)
  if (another !== undefined) throw ambiguous(noun, reference, sharedNames?.orAs ?? '', field)
  return found
}

/**
 * An active container in which the caller may perform `action`. @throws Refusal as `findContainer`, ACTION_DENIED,
 * STATE_CONFLICT
 */
export async function findContainerFor<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  context: Pick<Context, 'caller'>,
  reference: string,
  action: string,
  field?: BrokenField,
): Promise<Stored<T>> {
  const found = await findContainer(kind, context, reference, field)
  assertMay(context.caller, found.item, action)
  kind.assertActive?.(found.item)
  return found
}

/** Several containers that the field `list` of a body names. @throws Refusal as `findContainerFor`, with the field */
export const findContainersFor = async <T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  context: Pick<Context, 'caller'>,
  references: readonly string[],
  action: string,
  list: string,
): Promise<T[]> =>
  Promise.all(
    references.map(async (reference, at) => {
      const field = { pointer: `#/${list}/${at}`, detail: 'is not there' }
      return (await findContainerFor(kind, context, reference, action, field)).item
    }),
  )

/** The container that a record or earlier work refers to. @throws Refusal NOT_FOUND when it was deleted meanwhile */
export async function containerById<T extends StoredContainer, R extends ContainerRow, S>(
  { entity, noun }: ContainerKind<T, R, S>,
  domain: string,
  id: string,
): Promise<Stored<T>> {
  const stored = await entity.get(domain, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', `The ${noun} is not there any more.`)
  return stored
}

/** Every container of the caller's domain in which the caller may perform `action`, archived ones included. */
export async function everyContainerFor<T extends StoredContainer, R extends ContainerRow, S>(
  { entity }: ContainerKind<T, R, S>,
  caller: Caller,
  action: string,
): Promise<T[]> {
  const found: T[] = []
  let after: string | undefined
  do {
    const ids = await idsAfter(entity, caller.domain.id, 'all', after, PAGE)
    for (const { item } of await entity.getMany(caller.domain.id, ids, 'leave out'))
      if (may(caller, item, action)) found.push(item)
    after = ids.length < PAGE ? undefined : ids.at(-1)
  } while (after !== undefined)
  return found
}
