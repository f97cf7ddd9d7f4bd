import type { CallOptions } from '../support/service.ts'

/** Calls whose answers must not show a secret, and the secrets that are searched for later. */
export interface Planting {
  readonly made: (to: string, body: object) => Promise<any>
  readonly refused: (status: number, method: string, to: string, options: CallOptions) => Promise<void>
  /** Returns a new password. */
  readonly password: (what: string) => string
  readonly remember: (what: string, text: string) => void
  readonly harmless: string
}

/** The same at a cloud. */
export interface PlantingAt<Cloud> extends Planting {
  readonly cloud: Cloud
  /** a local key that may be uploaded */
  readonly source: string
}
