import { badParameter } from './errors.ts'

/** Members of a request, as spelled on the wire. */
export type Body = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @throws ApiError BadParameter */
export function parseBody(bytes: Buffer): Body {
  if (bytes.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw badParameter('The request body is not valid JSON.')
  }
  if (isObject(value)) return value
  throw badParameter('The request body must be a JSON object.')
}

const wrong = (name: string, kind: string) => badParameter(`Property '${name}' must be ${kind}.`)

export function textAt(body: Body, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw wrong(name, 'a string')
  return value
}

export function flagAt(body: Body, name: string): boolean | undefined {
  const value = body[name] ?? undefined
  if (value !== undefined && typeof value !== 'boolean') throw wrong(name, 'a boolean')
  return value
}

/** A whole number, such as a size or seconds. */
export function numberAt(body: Body, name: string): number | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value
  throw wrong(name, 'an integer')
}

export function objectAt(body: Body, name: string): Body | undefined {
  const value = body[name] ?? undefined
  if (value !== undefined && !isObject(value)) throw wrong(name, 'an object')
  return value
}

export function textsAt(body: Body, name: string): readonly string[] | undefined {
  const value = body[name] ?? undefined
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) throw wrong(name, 'a list of strings')
  return value
}

const BASE64URL = /^[A-Za-z0-9_-]*$/

/** Bytes, base64url without padding on the wire. @throws ApiError BadParameter */
export function bytesAt(body: Body, name: string): Buffer | undefined {
  const value = textAt(body, name)
  if (value === undefined) return undefined
  if (!BASE64URL.test(value)) throw wrong(name, 'base64url-encoded')
  return Buffer.from(value, 'base64url')
}

/** @throws ApiError BadParameter for an absent value too */
export function requiredBytes(body: Body, name: string): Buffer {
  const value = bytesAt(body, name)
  if (value === undefined) throw badParameter(`Property '${name}' is required.`)
  return value
}

export const base64url = (bytes: Buffer): string => bytes.toString('base64url')
