import { Refusal } from '../../base/errors.ts'
import type { Recipient } from '../../emergency/assert-open.ts'
import type { Context } from '../../http/context.ts'
import { budgetOf } from '../budget.ts'
import { containerById } from '../containers/find-container.ts'
import type { Home, KeyKind, KeyTypes } from './kind.ts'

type Reaching = Pick<Context, 'caller' | 'now' | 'once'>

export const homeOf = <T extends KeyTypes>({ containerIdOf, regionOf }: KeyKind<T>, key: T['key']): Home => ({
  container: containerIdOf(key),
  region: regionOf?.(key) ?? '',
})

/** Gets the material that is uploaded for a key of this home. */
export const recipientIn = ({ service }: { readonly service: string }, { container }: Home): Recipient => ({
  cloud: service,
  container,
})

/** Whether a container still has the region of a home. */
export const hasRegion = <T extends KeyTypes>(
  { containers: { regions } }: KeyKind<T>,
  container: T['container'],
  { region }: Home,
): boolean => regions?.(container).includes(region) ?? true

/** @throws Refusal STATE_CONFLICT when the container has lost the region */
export function assertHas<T extends KeyTypes>(kind: KeyKind<T>, container: T['container'], home: Home): void {
  const { noun, nameOf } = kind.containers
  if (!hasRegion(kind, container, home))
    throw new Refusal('STATE_CONFLICT', `${home.region} is no region of the ${noun} ${nameOf(container)} any more.`)
}

/**
 * A container that has been read, or one of its regions, as the place of a request's calls. @throws Refusal as
 * `KeyKind.open`
 */
export const placeIn = async <T extends KeyTypes>(
  { open }: KeyKind<T>,
  { caller, now, once }: Reaching,
  container: T['container'],
  region: string,
): Promise<T['place']> =>
  open(caller.domain.id, container, { region, now, budget: await budgetOf({ once }), patience: 'request' })

/**
 * The place where a key is created or worked on.
 * @throws Refusal NOT_FOUND when the container was deleted meanwhile, STATE_CONFLICT when it is archived, has lost the
 * region or its connection
 */
export async function reach<T extends KeyTypes>(kind: KeyKind<T>, context: Reaching, home: Home): Promise<T['place']> {
  const { item: container } = await containerById(kind.containers, context.caller.domain.id, home.container)
  kind.containers.assertActive?.(container)
  assertHas(kind, container, home)
  return placeIn(kind, context, container, home.region)
}

/** As `reach`, for an undo: also in a container that was archived meanwhile, or lost the region. */
export async function reachAgain<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Reaching,
  home: Home,
): Promise<T['place']> {
  const { item: container } = await containerById(kind.containers, context.caller.domain.id, home.container)
  return placeIn(kind, context, container, home.region)
}

/** The place of a recorded key. @throws Refusal as `reach` */
export const reachKey = <T extends KeyTypes>(kind: KeyKind<T>, context: Reaching, key: T['key']): Promise<T['place']> =>
  reach(kind, context, homeOf(kind, key))

/**
 * A recorded key as its cloud has it now; `null` when the cloud does not have it.
 * @param left the key as an action may have left it
 */
export async function readNow<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  place: T['place'],
  key: T['key'],
  left: T['key'] = key,
): Promise<T['whole'] | null> {
  const whole = (await kind.read(place, kind.refOf(key), key, left)) ?? null
  await kind.beforehand?.(context, key, whole)
  return whole
}
