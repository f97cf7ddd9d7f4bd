import { isObject, type Body } from '../wire/body.ts'
import { malformed } from './store-fault.ts'

/* Readers of answers by the platform's rules. All of them throw a StoreFault for an answer that breaks a rule. */

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const VERSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** With a fraction of six digits. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

export function textIn(answer: Body, name: string): string {
  const value = answer[name]
  if (typeof value === 'string' && value !== '') return value
  throw malformed(`${name} is no text`)
}

/** @param length in bytes; default: any */
export function bytesIn(answer: Body, name: string, length?: number): Buffer {
  const value = answer[name]
  if (typeof value !== 'string' || !BASE64.test(value)) throw malformed(`${name} is no base64`)
  const bytes = Buffer.from(value, 'base64')
  if (length !== undefined && bytes.length !== length) throw malformed(`${name} has ${bytes.length} bytes`)
  return bytes
}

/** The version that was used: the wanted one, if any. */
export function versionIn(answer: Body, wanted?: string): string {
  const version = textIn(answer, 'key_version_id')
  if (!VERSION_ID.test(version)) throw malformed('key_version_id is no id')
  if (wanted !== undefined && version !== wanted) throw malformed('key_version_id is another one')
  return version
}

export function wordIn<Word extends string>(answer: Body, name: string, words: readonly Word[]): Word {
  const value = textIn(answer, name)
  const found = words.find((each) => each === value)
  if (found === undefined) throw malformed(`${name} is ${value}`)
  return found
}

export function numberIn(answer: Body, name: string): number {
  const value = answer[name]
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw malformed(`${name} is no number`)
}

export function flagIn(answer: Body, name: string): boolean {
  const value = answer[name]
  if (typeof value === 'boolean') return value
  throw malformed(`${name} is no boolean`)
}

export interface StoreVersion {
  readonly id: string
  /** With microseconds. */
  readonly createdAt: string
}

/** Versions, newest first. */
export function versionsIn(answer: Body): readonly StoreVersion[] {
  const { resources } = answer
  if (!Array.isArray(resources)) throw malformed('resources is no list')
  const versions = resources.map((each: unknown): StoreVersion => {
    const version = isObject(each) ? each : {}
    const [id, createdAt] = [textIn(version, 'id'), textIn(version, 'created_at')]
    if (!VERSION_ID.test(id) || !TIME.test(createdAt)) throw malformed('a version is not valid')
    return { id, createdAt }
  })
  const times = versions.map(({ createdAt }) => createdAt)
  if (times.join() !== [...times].sort().reverse().join()) throw malformed('versions are not newest first')
  return versions
}
