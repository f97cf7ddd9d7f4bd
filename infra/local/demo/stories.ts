import type { Simulators } from '../../simulators/all.ts'
import { cloudAStory } from './cloud-a/story.ts'
import { cloudBStory } from './cloud-b/story.ts'
import { cloudCStory } from './cloud-c/story.ts'
import { cloudDStory } from './cloud-d/story.ts'
import { crmStory } from './crm/story.ts'
import { datacustStory } from './datacust/story.ts'
import type { CloudStory, Demo } from './demo.ts'
import { docsuiteStory } from './docsuite/story.ts'
import { workspaceStory } from './workspace/story.ts'

/** The steps of each simulated cloud. The demo runs them in the order of the simulators. */
export const STORIES: Readonly<Record<keyof Simulators, (demo: Demo) => CloudStory>> = {
  cloudA: cloudAStory,
  cloudB: cloudBStory,
  cloudC: cloudCStory,
  cloudD: cloudDStory,
  crm: crmStory,
  datacust: datacustStory,
  docsuite: docsuiteStory,
  workspace: workspaceStory,
}
