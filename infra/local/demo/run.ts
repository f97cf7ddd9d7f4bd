import type { BuildOptions } from '../../build.ts'
import { UsageError } from '../command/command-line.ts'
import { endBundling } from '../command/start-lines.ts'
import { printedFailure } from '../command/start-refusal.ts'
import { DemoFailure } from './failure.ts'
import { parseDemoOptions, USAGE } from './options.ts'
import { openTarget } from './target.ts'
import { show } from './workflow.ts'

const EXIT = { done: 0, failed: 1, usage: 2 } as const

/**
 * Runs the demo and ends the process.
 * @param build of the service that is started when the options name none
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
  const target = await openTarget(options, build).finally(endBundling)
  try {
    await show(target, (text) => process.stdout.write(text))
  } finally {
    await target.stop()
  }
}

function fail(reason: unknown): void {
  process.stderr.write(printedFailure(reason, DemoFailure))
  process.exit(reason instanceof UsageError ? EXIT.usage : EXIT.failed)
}
