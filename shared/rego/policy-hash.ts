import { hash } from 'node:crypto'
import type { Dialect } from './parse/module.ts'

/** A policy's identity: the same text has another meaning in the other dialect. SHA-256, 64 hexadecimal digits. */
export const hashOf = (dialect: Dialect, text: string): string => hash('sha256', `${dialect}\n${text}`)
