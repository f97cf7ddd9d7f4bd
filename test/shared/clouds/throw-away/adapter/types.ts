import type { Cloud, RemoteKey } from '../../../../../shared/cloud/contract.ts'
import type { Param } from '../key-model.ts'

export interface Connection {
  /** identifies it */
  readonly key: string
  readonly token: string
}
export interface Entry {
  readonly connection: Connection
  readonly budget: AbortSignal
}
export interface Place extends Entry {
  readonly box: string
  readonly now: Date
  readonly patience: 'request' | 'job'
}
export interface Spec {
  readonly label: string
}
export type Read = RemoteKey<Param>

/** The capabilities of the throw-away cloud. */
export interface ThrowAway extends Cloud<Connection, Place, Spec, Read> {
  hasBox(entry: Entry, box: string): Promise<boolean>
  /** Sets the label, or whether the key is enabled. Safe to repeat. */
  change(place: Place, ref: string, change: { readonly label?: string; readonly enabled?: boolean }): Promise<Read>
}
