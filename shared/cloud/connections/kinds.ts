import { Refusal } from '../../base/errors.ts'
import { loadedOf, rooms, type Load, type RoomRow } from '../../base/room.ts'
import type { AnyConnectionKind } from './kind.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** The kind of connections to it; absent for a cloud that is known by name but refused as not offered yet. */
    readonly connection?: Load<AnyConnectionKind>
  }
}

/** Services that have connections: clouds, announced ones included, and other services. */
const services = (): RoomRow[] =>
  rooms().filter(({ connection, containerList }) => connection !== undefined || containerList !== undefined)

/** Names of all services: `{svc}` in paths, `service` in records. */
export const serviceNames = (): string[] => services().map(({ name }) => name)

/** @throws Refusal NOT_FOUND for a service that does not exist, NOT_SUPPORTED, naming it, for one not offered yet */
export function assertService(service: string): void {
  const row = services().find(({ name }) => name === service)
  if (row === undefined) throw new Refusal('NOT_FOUND', 'There are no connections to such a service.')
  if (row.connection === undefined) throw new Refusal('NOT_SUPPORTED', `${service} is not offered yet.`)
}

/** @throws Error, a fault, for a service without connections */
export async function connectionKind(service: string): Promise<AnyConnectionKind> {
  const load = services().find(({ name }) => name === service)?.connection
  if (load === undefined) throw new Error(`There is no kind of connection to ${service}`)
  return load()
}

/** Every kind that is offered. */
export const offeredKinds = (): Promise<AnyConnectionKind[]> => loadedOf('connection')
