import { patched } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { rotateEndpoint as rotateKey } from '../../endpoint/endpoint-key.ts'
import type { EndpointKind } from '../../endpoint/kinds.ts'
import { changeRecord, findToChange } from '../../resource/records.ts'
import { assertEnabled, assertNotArchived, statesOf } from '../../endpoint/states.ts'
import type { Stored } from '../../store/entity.ts'
import type { KaclsEndpoint, UpdateKaclsEndpoint } from './model.ts'
import { providersOf } from './providers.ts'
import { kaclsEndpointKind } from './records.ts'
import { newSigningKey, withSigningKey } from './signing-key.ts'
import type { KaclsEndpointRow, StoredKaclsEndpoint } from './store.ts'

type Changed = Promise<Stored<KaclsEndpoint>>

/** Stages a change to an endpoint that is not archived. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT */
export const changeLive = (
  context: Context,
  id: string,
  next: (endpoint: StoredKaclsEndpoint) => StoredKaclsEndpoint | Promise<StoredKaclsEndpoint>,
): Changed =>
  changeRecord(kaclsEndpointKind, context, id, (endpoint) => {
    assertNotArchived(kaclsEndpointKind, endpoint)
    return next(endpoint)
  })

/**
 * The endpoint after a change; `endpoint_url` changes with the host, or is the one in the body.
 * @throws Refusal NOT_FOUND for an issuer, STATE_CONFLICT for an archived endpoint
 */
export async function changedEndpoint(
  context: Context,
  endpoint: StoredKaclsEndpoint,
  { issuer, endpoint_url: own_url, ...fields }: UpdateKaclsEndpoint,
): Promise<StoredKaclsEndpoint> {
  assertNotArchived(kaclsEndpointKind, endpoint)
  return {
    ...patched(endpoint, { ...fields, own_url }),
    ...(issuer !== undefined && (await providersOf(context, issuer))),
  }
}

/** An archived endpoint can still be viewed, recovered and deleted. */
export const states = statesOf(kaclsEndpointKind)

/**
 * The kind of an endpoint whose key gets a new version. Ours: each new version includes a new signing key, so that no
 * key of an endpoint outlives a rotation.
 * @throws Refusal TOO_MANY_REQUESTS
 */
export async function renewedKind(
  context: Pick<Context, 'caller' | 'once' | 'now'>,
  id: string,
): Promise<EndpointKind<StoredKaclsEndpoint, KaclsEndpointRow, KaclsEndpoint>> {
  const signing = await newSigningKey(context, id)
  return {
    ...kaclsEndpointKind,
    renewed: (endpoint, version, now) =>
      withSigningKey(kaclsEndpointKind.renewed(endpoint, version, now), signing, context.now),
  }
}

/**
 * Creates a new version of the local key, and a new signing key: the version wraps from now on, and earlier ones still
 * unwrap. Ours: a disabled endpoint cannot be rotated, like a DKE endpoint.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, TOO_MANY_REQUESTS, STATE_CONFLICT unless the endpoint is
 * enabled and its local key Active
 */
export async function rotateEndpoint(context: Context, id: string): Changed {
  const { item } = await findToChange(kaclsEndpointKind, context, id)
  assertEnabled(kaclsEndpointKind, item) // before a signing key is generated
  return rotateKey(await renewedKind(context, id), context, id, (endpoint) =>
    assertEnabled(kaclsEndpointKind, endpoint),
  )
}
