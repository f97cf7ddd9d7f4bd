import type { Context } from '../../http/context.ts'
import { rotateEndpoint as rotateKey } from '../../endpoint/endpoint-key.ts'
import { assertEnabled, statesOf } from '../../endpoint/states.ts'
import type { Stored } from '../../store/entity.ts'
import type { DkeEndpoint } from './model.ts'
import { dkeEndpointKind } from './records.ts'

/** An archived endpoint can still be viewed, recovered, deleted and removed from its job. */
export const states = statesOf(dkeEndpointKind)

/**
 * Creates a new version of the local key: clients get it from now on, and documents of earlier versions still open.
 * Ours: a disabled endpoint cannot be rotated, like an EKM endpoint.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT unless the endpoint is enabled and its local
 * key Active
 */
export const rotateEndpoint = (context: Context, id: string): Promise<Stored<DkeEndpoint>> =>
  rotateKey(dkeEndpointKind, context, id, (endpoint) => assertEnabled(dkeEndpointKind, endpoint))
