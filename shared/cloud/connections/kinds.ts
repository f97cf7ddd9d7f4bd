import { Refusal } from '../../base/errors.ts'
import { extensionPoint } from '../../base/extension-point.ts'
import type { AnyConnectionKind } from './kind.ts'

/** A service that connections lead to: a cloud. */
export interface ConnectionService {
  readonly name: string
  /** absent: the name is known, and refused as not offered yet */
  readonly connection?: () => Promise<AnyConnectionKind>
}

export const connectionServices = extensionPoint<ConnectionService>('Services of connections')

/** Names of all services: `{svc}` of paths, `service` of records. */
export const serviceNames = (): string[] => connectionServices.rows().map(({ name }) => name)

/** @throws Refusal NOT_FOUND for a service that does not exist, NOT_SUPPORTED, naming it, for one not offered yet */
export function assertService(service: string): void {
  const row = connectionServices.rows().find(({ name }) => name === service)
  if (row === undefined) throw new Refusal('NOT_FOUND', 'There are no connections to such a service.')
  if (row.connection === undefined) throw new Refusal('NOT_SUPPORTED', `${service} is not offered yet.`)
}

/** @throws Error, a fault, for a service that no connection can have been made to */
export async function connectionKind(service: string): Promise<AnyConnectionKind> {
  const load = connectionServices.rows().find(({ name }) => name === service)?.connection
  if (load === undefined) throw new Error(`There is no kind of connection to ${service}`)
  return load()
}

/** Every kind that is offered. */
export const offeredKinds = async (): Promise<AnyConnectionKind[]> =>
  Promise.all(connectionServices.rows().flatMap(({ connection }) => (connection === undefined ? [] : [connection()])))
