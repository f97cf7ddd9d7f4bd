import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { findRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { changeLive } from './change-endpoint.ts'
import type { PrivilegedUnwrapConfiguration, RewrapConfiguration } from './model.ts'
import { kaclsEndpointKind } from './records.ts'

/** Ours: shown for an endpoint without a configuration; it has the same effect as none. */
const NO_SERVICES = { kacls_base_url: [] }

/** @throws Refusal NOT_FOUND */
export async function getPrivilegedUnwrap(
  context: Context,
  id: string,
): Promise<Stored<PrivilegedUnwrapConfiguration>> {
  const { item, rev } = await findRecord(kaclsEndpointKind, context, id)
  return { item: item.privileged_unwrap ?? NO_SERVICES, rev }
}

/**
 * Replaces the configuration. Ours: it can be read, but has no effect while the endpoint does not allow privileged
 * unwrapping.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived endpoint and without
 * `allow_privileged_unwrap`
 */
export async function setPrivilegedUnwrap(
  context: Context,
  id: string,
  configuration: PrivilegedUnwrapConfiguration,
): Promise<Stored<PrivilegedUnwrapConfiguration>> {
  const { rev } = await changeLive(context, id, (endpoint) => {
    if (endpoint.allow_privileged_unwrap) return { ...endpoint, privileged_unwrap: configuration }
    throw new Refusal(
      'STATE_CONFLICT',
      `The KACLS endpoint ${endpoint.name} does not allow privileged unwrapping: set allow_privileged_unwrap first.`,
    )
  })
  return { item: configuration, rev }
}

/** @throws Refusal NOT_FOUND */
export async function getRewrap(context: Context, id: string): Promise<Stored<RewrapConfiguration>> {
  const { item, rev } = await findRecord(kaclsEndpointKind, context, id)
  return { item: item.rewrap ?? NO_SERVICES, rev }
}

/** Replaces the configuration. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived endpoint */
export async function setRewrap(
  context: Context,
  id: string,
  configuration: RewrapConfiguration,
): Promise<Stored<RewrapConfiguration>> {
  const { rev } = await changeLive(context, id, (endpoint) => ({ ...endpoint, rewrap: configuration }))
  return { item: configuration, rev }
}
