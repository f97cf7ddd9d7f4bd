import { defined } from '../base/fields.ts'
import { severityOf, type LineReader, type Occurrence } from '../audit/line-reader.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import { fieldsOf } from '../base/json.ts'
import type { Used } from '../emergency/board.ts'
import type { DetailKind } from '../http/audit/model.ts'
import type { Promised } from '../levels/endpoints.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** Values of a log field, as in JSON. */
interface FieldValues extends Record<DetailKind, unknown> {
  text: string
  integer: number
  number: number
  flag: true
}
export type FieldTable = Readonly<Record<string, DetailKind>>

const IS: Readonly<Record<DetailKind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  flag: (value) => value === true,
}

/** Fields that the pipeline writes for every request. */
const ALWAYS = { traceId: 'text', outcome: 'text', status: 'integer', ms: 'number', ip: 'text' } as const
/**
 * Fields that are absent when a request is refused before they are known. `domain`: owner of the resource. `used`: id
 * of the caller's credential, only now and then: a line with it is delivered like a line for the audit. `canary`: uri of
 * the canary key that the call used. `emergency`: ids of the blocks and drills that the call met, and
 * `emergencyBy` its caller: a line with them is delivered like a line for the audit.
 */
const ONCE_KNOWN = {
  operation: 'text',
  domain: 'text',
  key: 'text',
  used: 'text',
  canary: 'text',
  emergency: 'text',
  emergencyBy: 'text',
} as const

/** The access-log record of a protocol: one declaration for the data plane that writes it and the audit that reads it. */
export interface AccessLog<Fields extends FieldTable = FieldTable> {
  /** `message` of the line, which identifies the protocol */
  readonly message: string
  /** the protocol's own fields, each absent until it is known */
  readonly fields: Fields
  /** fields that name the caller: the first one that is known does */
  readonly callers: readonly (keyof Fields & string)[]
  /** time limit and objective of the protocol, and the field that names the endpoint */
  readonly levels: Promised & { readonly endpoint: keyof Fields & string }
}

/** The caller, by the first known field that names one. */
export const callerIn = <Fields extends FieldTable>(
  { callers }: AccessLog<Fields>,
  line: Readonly<Record<string, unknown>>,
): string | undefined => {
  const known = callers.map((name) => line[name])
  return known.find((value) => typeof value === 'string')
}

type Always<Table extends FieldTable> = { readonly [Name in keyof Table]: FieldValues[Table[Name]] }
type Known<Table extends FieldTable> = { readonly [Name in keyof Table]?: FieldValues[Table[Name]] | undefined }

/** Decides whether a call may use something further. @throws Refusal STATE_CONFLICT, UNAVAILABLE */
export type BlocksOfCall = (used: Used) => MaybePromise<void>

/** Member of a record that is not logged. */
export const BLOCKS_OF_CALL = Symbol('blocks of call')

/** Fields that are added step by step. `audit`: whether a success becomes an audit record; a refusal always does. */
export interface CommonRecord {
  operation?: string
  domain?: string
  key?: string | undefined
  used?: string | undefined
  canary?: string
  emergency?: string
  emergencyBy?: string
  audit?: true | undefined
  /** Set while emergency blocks are in force; JSON, and so the line, omits it. */
  [BLOCKS_OF_CALL]?: BlocksOfCall
}
export type LogRecord<Fields extends FieldTable> = CommonRecord & {
  -readonly [Name in keyof Fields]?: FieldValues[Fields[Name]] | undefined
}

type Line<Fields extends FieldTable> = Always<typeof ALWAYS> & Known<typeof ONCE_KNOWN> & Known<Fields>

/** `undefined` for a line that is not of this log. Other fields of the line are ignored. */
export function readLine<Fields extends FieldTable>({ message, fields }: AccessLog<Fields>, given: unknown) {
  const line = fieldsOf(given)
  const fits = (table: FieldTable, isRequired: boolean): boolean =>
    Object.entries(table).every(([name, kind]) => (line[name] === undefined ? !isRequired : IS[kind](line[name])))
  const isOurs = line.message === message && fits(ALWAYS, true) && fits({ ...ONCE_KNOWN, ...fields }, false)
  return isOurs ? (line as Line<Fields>) : undefined
}

/** How a line becomes an audit record. */
interface Audited<Fields extends FieldTable> {
  /** `service` of the record */
  readonly service: string
  /** before the operation in the record's message */
  readonly title: string
  /** `resource_uri`, if the resource is known */
  readonly uri: (domain: string, line: Line<Fields>) => string | undefined
  /**
   * Whether all refusals with the same outcome, resource, address and caller become one record: those of anonymous
   * callers, and of callers above their quota.
   */
  readonly isAggregated: (line: Line<Fields>) => boolean
  /** the setting that decides whether a success becomes a record, if the data plane does not read it */
  readonly successSetting?: (domain: string, line: Line<Fields>) => Occurrence['setting']
  /** fields with few values, which aggregated records have too: refusals that differ in them become several records */
  readonly apart?: readonly (keyof Line<Fields> & string)[]
  /** fields for the `details` of a record that is not aggregated */
  readonly details: readonly (keyof Line<Fields> & string)[]
}

/** How the lines of a protocol's access log become audit records. */
export interface AuditLine {
  readonly read: LineReader
  /** its fields in the records' `details` */
  readonly details: FieldTable
}

const lineReader =
  <const Fields extends FieldTable>(
    log: AccessLog<Fields>,
    { service, title, uri, isAggregated, successSetting, apart = [], details }: Audited<Fields>,
  ): LineReader =>
  (given) => {
    const line = readLine(log, given)
    if (line === undefined) return undefined
    const {
      traceId,
      domain = ROOT_DOMAIN_ID,
      operation = 'request',
      key,
      canary,
      emergency,
      outcome,
      status,
      ip,
    } = line
    const username = callerIn(log, line) ?? ''
    const resource_uri = uri(domain, line)
    const success = outcome === 'success'
    const hasOwnRecord = canary !== undefined || !isAggregated(line)
    const own = Object.fromEntries<unknown>((hasOwnRecord ? details : apart).map((name) => [name, line[name]]))
    const kind = [service, resource_uri, outcome, ip, username, ...apart.map((name) => line[name])]
    return {
      domain,
      kind: hasOwnRecord ? undefined : JSON.stringify(kind),
      setting: success && canary === undefined ? successSetting?.(domain, line) : undefined,
      happening: (unrecorded) => ({
        severity: canary === undefined ? severityOf(status) : 'critical',
        service,
        message: `${title} ${operation}`,
        username,
        clientIP: ip,
        success,
        ...(!success && { errorMessage: outcome }),
        details: {
          action: operation,
          ...defined({ resource_uri, canary, emergency }),
          ...(unrecorded > 0 && { unrecorded }),
          ...defined(own),
          ...(hasOwnRecord && key !== '' && { key }),
        },
        requestId: traceId,
        principal: { sub: username, groups: [] },
      }),
    }
  }

/** Reads the lines of an access log as audit records. Ours: a call to no known resource is recorded in the root domain. */
export function auditLine<const Fields extends FieldTable>(
  log: AccessLog<Fields>,
  audited: Audited<Fields>,
): AuditLine {
  const kinds: FieldTable = { ...ALWAYS, ...ONCE_KNOWN, ...log.fields }
  const details = Object.entries(kinds).filter(([name]) => audited.details.some((detail) => detail === name))
  return { read: lineReader(log, audited), details: Object.fromEntries(details) }
}
