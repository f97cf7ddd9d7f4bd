import { Refusal, type BrokenField } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { changesTold, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/** The place in a body that names several containers of a cloud, by the values that are unique in a domain. */
interface Named {
  readonly names: readonly string[]
  readonly pointerAt: (at: number) => string
}

const THERE = 'is there already'

/** Points at every name to which the refusal applies. @throws Refusal */
function refuseWhere(
  { names, pointerAt }: Named,
  isBroken: readonly boolean[],
  refusalOf: (errors: BrokenField[]) => Refusal,
  detail: string,
): void {
  const errors = names.flatMap((_, at) => (isBroken[at] === true ? [{ pointer: pointerAt(at), detail }] : []))
  if (errors.length > 0) throw refusalOf(errors)
}

/** @throws Refusal NAME_TAKEN pointing at every container that the domain already has */
export async function assertNoneThere<T extends StoredContainer, R extends ContainerRow, S>(
  { entity, noun, namedBy }: ContainerKind<T, R, S>,
  domain: string,
  named: Named,
): Promise<void> {
  const held = await Promise.all(named.names.map((name) => entity.holder(domain, namedBy, name)))
  const refusalOf = (errors: BrokenField[]) =>
    new Refusal('NAME_TAKEN', `Some of the ${noun}s are there already.`, { errors })
  refuseWhere(
    named,
    held.map((id) => id !== undefined),
    refusalOf,
    THERE,
  )
}

/**
 * The containers as the cloud describes them. @throws Refusal NOT_FOUND pointing with `detail` at every container that
 * the cloud does not have
 */
export async function allFound<Read>(
  noun: string,
  named: Named,
  read: (name: string) => Promise<Read | undefined>,
  detail: string,
): Promise<Read[]> {
  const found = await Promise.all(named.names.map(read))
  const refusalOf = (errors: BrokenField[]) =>
    new Refusal('NOT_FOUND', `The cloud does not have all of the ${noun}s.`, { errors })
  refuseWhere(
    named,
    found.map((one) => one === undefined),
    refusalOf,
    detail,
  )
  return found.filter((one) => one !== undefined)
}

/**
 * Stages the records of new containers. @param about further fields of the audit record, which names the first
 * container
 */
export function addContainers<T extends StoredContainer, R extends ContainerRow, S>(
  kind: ContainerKind<T, R, S>,
  { caller, changes, about: tell }: Context,
  containers: readonly T[],
  { names, pointerAt }: Named,
  about: { readonly uri: string; readonly name: string; readonly list: string },
): S[] {
  for (const container of containers)
    changes.create(kind.entity, caller.domain.id, container, (_kind, name) => {
      const errors = [{ pointer: pointerAt(names.indexOf(name)), detail: THERE }]
      return new Refusal('NAME_TAKEN', `The ${kind.noun} ${name} is there already.`, { errors })
    })
  const [first] = containers
  tell({
    uri: first?.uri ?? about.uri,
    name: names.length === 1 ? (names[0] ?? '') : about.name,
    after: { [about.list]: names, ...changesTold(kind, {}, first ?? {}).after },
  })
  return containers.map(kind.present)
}
