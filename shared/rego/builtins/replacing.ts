import type { BuiltinContext } from './builtin.ts'
import { allowText, chargeSearch, chargeText } from './charging.ts'

/**
 * `text` with every old text replaced by its new one, in one pass from the left; replacements are not searched again.
 * If several match at one place, the first pair wins. An empty old text matches before every character and at the end,
 * but not twice in a row.
 */
export function replaceAllOf(
  text: string,
  pairs: readonly (readonly [old: string, replacement: string])[],
  context: BuiltinContext,
): string {
  const [[old, replacement] = ['', '']] = pairs
  if (pairs.length === 1 && old !== '') return replaceOne(text, old, replacement, context)
  const longest = pairs.reduce((units, [old]) => Math.max(units, old.length), 0)
  chargeText(context, text.length)
  const steps = 1 + Math.ceil(pairs.length / 4) + Math.ceil(longest / 256)
  let result = ''
  let kept = 0
  let afterEmpty = false
  const write = (piece: string): void => {
    if (result.length + piece.length > context.limits.stringUnits) allowText(context, result.length + piece.length)
    result += piece
  }
  for (let at = 0; at <= text.length;) {
    context.charge(steps)
    const found = pairs.find(([old]) => (old === '' ? !afterEmpty : text.startsWith(old, at)))
    afterEmpty = found?.[0] === ''
    if (found === undefined) {
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      continue
    }
    write(text.slice(kept, at) + found[1])
    at += found[0].length
    kept = at
  }
  write(text.slice(kept))
  allowText(context, result.length)
  return result
}

function replaceOne(text: string, old: string, replacement: string, context: BuiltinContext): string {
  chargeSearch(context, text, old)
  allowText(context, text.length + countOf(text, old) * (replacement.length - old.length))
  return text.replaceAll(old, () => replacement)
}

/** Number of non-overlapping occurrences. @param pattern not empty */
export function countOf(text: string, pattern: string): number {
  let count = 0
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length)) count += 1
  return count
}
