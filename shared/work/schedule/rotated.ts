import type { Context } from '../../http/context.ts'
import type { KeyRotationParams } from './config-params.ts'
import type { Entity } from '../../store/entity.ts'
import type { SubJobPlan } from './operation.ts'

/** The facts that decide whether a key is due. */
export interface KeyFacts {
  /** whether the key can be rotated: it exists, is live, and has no successor */
  readonly live: boolean
  /** whether its material has expired and is removed */
  readonly expired?: boolean
  readonly createdAt: string
  readonly rotatedAt?: string | undefined
  readonly validTo?: string | undefined
}

/** How one cloud's keys take part in scheduled rotation. A new cloud is a new row in `rotated-clouds.ts`. */
export interface Rotated<T, R> {
  readonly entity: Entity<T, R>
  /** the longest life of material, where the cloud sets a limit */
  readonly lifetimeDaysMost?: number
  /** the configuration a key joined */
  configOf(record: T): string | undefined
  /** the family of the keys that joined a configuration, by their ids */
  readonly family: (config: string) => string
  facts(record: T, params: Partial<KeyRotationParams>): KeyFacts
  planOf(record: T, params: Partial<KeyRotationParams>): SubJobPlan
  /** Rotates as by hand, with the key's own settings for rotations. @returns id of the key in use from now on */
  rotate(context: Context, id: string, params: Partial<KeyRotationParams>): Promise<string>
}

// Rows differ in their records; each is only ever handed its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyRotated = Rotated<any, any>
