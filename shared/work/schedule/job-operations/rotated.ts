import type { Context } from '../../../http/context.ts'
import type { Single } from '../../../http/decisions.ts'
import type { Family } from '../../../store/layout.ts'
import type { Entity } from '../../../store/entity.ts'
import type { KeyRotationParams } from '../configs/params.ts'
import type { SubJobPlan } from './operation.ts'

/** A record that can join a job configuration. */
export interface Joining {
  readonly id: string
  readonly labels?: { readonly job_config_id: string } | undefined
}

/** The family of an entity's records that joined a configuration, by their ids. */
export const joinedTo = (config: string): string => `rotated-by:${config}`
/** The family that a record joined, if it joined one. */
export const joinedFamily = ({ id, labels }: Joining): Family[] =>
  labels === undefined ? [] : [{ name: joinedTo(labels.job_config_id), key: id }]

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

/** A key that the parameters of a configuration describe. */
export interface NamedKey {
  readonly facts: KeyFacts
  readonly plan: Omit<SubJobPlan, 'cloud' | 'resource_type'>
}

/** Rotation of keys that no record joins to a configuration: its parameters select them. */
export interface NamedKeys {
  /** @throws Refusal NOT_FOUND, RULE_BROKEN for parameters that describe no keys */
  readonly check: (context: Context, params: Partial<KeyRotationParams>) => Promise<void>
  readonly find: (domain: string, params: Partial<KeyRotationParams>) => Promise<readonly NamedKey[]>
  /** Runs that will fail by design. @param spacingMinutes shortest time between two runs */
  readonly warnings?: (
    domain: string,
    params: Partial<KeyRotationParams>,
    spacingMinutes: number,
  ) => Promise<readonly string[]>
  /** The single call that rotates one of them. */
  readonly single: (params: Partial<KeyRotationParams>) => Single
  /** Rotates one of them, by the `resource_id` of its plan. @returns id of the key in use from now on */
  readonly rotate: (context: Context, resourceId: string, params: Partial<KeyRotationParams>) => Promise<string>
}

/** How one cloud's keys take part in scheduled rotation: the field `rotate` of its row. */
export interface Rotated<T extends Joining, R> {
  readonly entity: Entity<T, R>
  /** Containers that can join: all of their keys join with them. */
  // Rows differ in their containers; only their families are read.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly containers?: Entity<any, any>
  /** the longest life of material, where the cloud sets a limit */
  readonly lifetimeDaysMost?: number
  readonly facts: (key: T, params: Partial<KeyRotationParams>) => KeyFacts
  readonly plan: (
    key: T,
    params: Partial<KeyRotationParams>,
  ) => Omit<SubJobPlan, 'cloud' | 'resource_type' | 'resource_id'>
  /** Set if the parameters of configurations describe its keys; then no key joins one. */
  readonly named?: NamedKeys
  /** The single call that rotates the key. */
  readonly single: (key: T, params: Partial<KeyRotationParams>) => Single
  /** Rotates as by hand, with the key's own rotation settings. @returns id of the key in use from now on */
  readonly rotate: (context: Context, key: T, params: Partial<KeyRotationParams>) => Promise<string>
}

// Rows differ in their records; each one receives only its own.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyRotated = Rotated<any, any>
