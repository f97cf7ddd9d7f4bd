import { equal, isPlainKey, keyOf } from '../value.ts'
import type { Value } from '../value.ts'
import type { Frame } from './evaluation.ts'

/** A value used as a key costs its text, which for collections can be long and is kept. */
export function chargeKey(frame: Frame, value: Value): void {
  const { evaluation } = frame.world
  evaluation.allocate(1)
  if (typeof value !== 'object' || value === null) return
  evaluation.weigh(value)
  const key = keyOf(value)
  if (typeof key !== 'string' || isPlainKey(key)) return
  evaluation.charge(key.length >> 3)
  evaluation.allocate(0, key.length)
}

/** Equality, charged by the size of the compared values. */
export function same(frame: Frame, a: Value, b: Value): boolean {
  if (a === b) return true
  if (typeof a !== typeof b || (typeof a !== 'string' && typeof a !== 'object')) return equal(a, b)
  frame.world.evaluation.chargeFor(a)
  frame.world.evaluation.chargeFor(b)
  return equal(a, b)
}

/** Runs the body of a closure, which counts as one level of nesting. */
export function enclosed(frame: Frame, run: (frame: Frame) => boolean): void {
  const { evaluation } = frame.world
  evaluation.enter()
  run(frame)
  evaluation.leave()
}
