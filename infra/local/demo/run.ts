import type { BuildOptions } from '../../build.ts'
import { UsageError } from '../options.ts'
import { StartRefusal } from '../start-refusal.ts'
import { DemoFailure } from '../../simulators/toolkit/demo/failure.ts'
import { parseDemoOptions, USAGE } from './options.ts'
import { openTarget } from './target.ts'
import { show } from './workflow.ts'

const EXIT = { done: 0, failed: 1, usage: 2 } as const

/**
 * Shows the demo and ends the process.
 * @param build what the service is made of that is started when none is named
 */
export function runDemo(build: BuildOptions): void {
  process.env.TZ = 'UTC'
  main(build).then(() => process.exit(EXIT.done), fail)
}

async function main(build: BuildOptions): Promise<void> {
  const options = parseDemoOptions(process.argv.slice(2), process.env)
  if (options === 'help') {
    process.stdout.write(USAGE)
    return
  }
  const target = await openTarget(options, build)
  try {
    await show(target, (text) => process.stdout.write(text))
  } finally {
    await target.stop()
  }
}

/** Prints one sentence, or the stack of an unexpected error, and ends the process. */
function fail(reason: unknown): void {
  const known = reason instanceof DemoFailure || reason instanceof UsageError || reason instanceof StartRefusal
  const printed = reason instanceof Error ? (known ? reason.message : (reason.stack ?? reason.message)) : String(reason)
  process.stderr.write(`${printed}\n`)
  process.exit(reason instanceof UsageError ? EXIT.usage : EXIT.failed)
}
