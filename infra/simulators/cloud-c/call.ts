import type { Body } from './body.ts'
import type { Directory } from './directory.ts'
import type { CloudState } from './state.ts'

/** A caller whose token was verified. */
export interface Caller {
  readonly email: string
  /** Member of policies: `serviceAccount:<e-mail>` or `user:<e-mail>`. */
  readonly member: string
}

/** One call of an operation, as the operation receives it. */
export interface Call {
  readonly operation: string
  readonly caller: Caller
  readonly state: CloudState
  readonly directory: Directory
  /** Resource of the path, without version and verb: `projects/…`. */
  readonly name: string
  readonly query: URLSearchParams
  readonly body: Body
  /** Kind of a list's page: faults make it short or empty, with more pages to follow. */
  readonly page: 'whole' | 'short' | 'empty'
  /** @throws ApiError PERMISSION_DENIED unless the caller has the permission */
  readonly require: (permission: string, resource: string) => void
  readonly may: (permission: string, resource: string) => boolean
}

/** @returns the answer's members */
export type Run = (call: Call) => object | Promise<object>

/** One operation of one of the services, and the requests that it answers. */
export interface Route {
  readonly operation: string
  readonly service: 'kms' | 'logging' | 'resourcemanager' | 'iam'
  readonly methods: readonly string[]
  /** Path with the service's version; `*` matches an id. The resource is the part before a colon. */
  readonly path: string
  /** Required on the resource of the path. Without it the operation checks permissions itself. */
  readonly permission?: string
  /** Kind of audit entry. */
  readonly audit?: 'ADMIN_WRITE' | 'ADMIN_READ' | 'DATA_READ'
  /** The project's quota that it counts against. */
  readonly quota: Quota
  readonly run: Run
}

export type Quota = 'read' | 'write' | 'use' | 'log' | 'none'
