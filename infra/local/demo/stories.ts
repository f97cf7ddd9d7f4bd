import type { Simulators } from '../../simulators/all.ts'
import { cloudAStory } from './cloud-a/story.ts'
import { cloudBStory } from './cloud-b/story.ts'
import { cloudCStory } from './cloud-c/story.ts'
import type { CloudStory, Demo } from './demo.ts'
import { docsuiteStory } from './docsuite/story.ts'
import { workspaceStory } from './workspace/story.ts'

/** The steps of simulated clouds, where the demo has some. It runs them in the order of the simulators. */
export const STORIES: Readonly<Partial<Record<keyof Simulators, (demo: Demo) => CloudStory>>> = {
  cloudA: cloudAStory,
  cloudB: cloudBStory,
  cloudC: cloudCStory,
  docsuite: docsuiteStory,
  workspace: workspaceStory,
}
