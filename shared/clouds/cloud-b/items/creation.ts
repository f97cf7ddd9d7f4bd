import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { uuid } from '../../../base/ids.ts'
import type { Journal } from '../../../base/journal.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { creationOf, type Creation, type MadeKey } from '../../../cloud/keys/creation.ts'
import type { KeySaga } from '../../../cloud/keys/kind.ts'
import { reach } from '../../../cloud/keys/place.ts'
import type { Context } from '../../../http/context.ts'
import type { Prepared } from '../../../work/sagas/saga.ts'
import type { CloudBPlace } from '../adapter/types.ts'
import { vaultKind } from '../vaults/kind.ts'
import type { StoredCloudBVault } from '../vaults/store.ts'
import { subjectOf, vaultHome, type ItemKind, type ItemTypes } from './item.ts'

/**
 * The vault that a body names, in which the caller may perform `action`. @throws Refusal NOT_FOUND, ACTION_DENIED,
 * STATE_CONFLICT
 */
export const vaultOfBody = async (context: Context, reference: string, action: string): Promise<StoredCloudBVault> => {
  const field = { pointer: '#/key_vault', detail: 'is no vault that you may see' }
  return (await findContainerFor(vaultKind, context, reference, action, field)).item
}

/**
 * As `vaultOfBody`, for items that managed HSM pools do not support. @throws Refusal as that, RULE_BROKEN for a pool
 */
export async function vaultBeyondKeys(context: Context, reference: string, action: string): Promise<StoredCloudBVault> {
  const vault = await vaultOfBody(context, reference, action)
  if (vault.managed_hsm) throw ruleBroken('key_vault', 'must be a vault: managed HSM pools hold keys alone')
  return vault
}

/** Input of a saga that creates a version in a vault. */
export const planned = <T extends ItemTypes>(
  { now }: Pick<Context, 'now'>,
  vault: StoredCloudBVault,
  spec: Omit<T['spec'], 'mark'>,
  known?: Partial<T['key']>,
): Creation<T> => {
  const id = uuid(now)
  return { id, home: vaultHome(vault.id), spec: { ...spec, mark: id }, known } // the other members are given
}

/**
 * The saga to run, with the name as its subject: if two versions were created at once, both would be recorded as the
 * latest.
 */
export const workOn = <T extends ItemTypes>(
  { noun }: Pick<ItemKind<T>, 'noun'>,
  input: Creation<T>,
): Prepared<Creation<T>> => ({
  id: input.id,
  subject: subjectOf(noun, input.home.container, input.spec.name),
  container: input.home.container,
  input,
})

const absent = (): Refusal =>
  new Refusal(
    'STATE_CONFLICT',
    'The value in the request is not stored, so the work ended with the request: repeat the request.',
  )

/** A value that only the request has in memory: a saga resumed without the request does not have it. */
export interface Carrier<V> {
  /** @param take creates the value from the request; runs once per request */
  readonly carry: (context: Pick<Context, 'once'>, take: () => Promise<V>) => Promise<V>
  readonly of: (context: Pick<Context, 'once'>) => Promise<V | undefined>
}

/** @param name of the value within a request */
export const carrier = <V>(name: string): Carrier<V> => ({
  carry: ({ once }, take) => once(name, take),
  of: ({ once }) => once<V | undefined>(name, () => Promise.resolve(undefined)),
})

/**
 * Creates a version from a value that is never stored, not even in the saga. Resumed without its request, the saga
 * searches for the created version, and is refused when none exists.
 * @param name of the saga
 */
export const creatingFrom = <T extends ItemTypes, V>(
  name: string,
  kind: ItemKind<T>,
  carried: Carrier<V>,
  make: (place: CloudBPlace, spec: T['spec'], value: V, journal: Journal) => Promise<T['read']>,
): KeySaga<T, Creation<T>, MadeKey<T>> => ({
  ...creationOf(name, kind),
  run: async (context, { home, spec }, journal) => {
    const place = await reach(kind, context, home)
    const value = await carried.of(context)
    const made = value === undefined ? await kind.cloud.made(place, spec) : await make(place, spec, value, journal)
    if (made === undefined) throw absent()
    return { ref: made.ref, whole: made }
  },
})
